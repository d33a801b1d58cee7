import type { Decision } from '#core/routing/decide.ts';
import { createPage, cspHash, escapeHtml, type Page } from './page.ts';
import { type Language, texts } from './texts/texts.ts';

type DecisionOf<K extends Decision['kind']> = Extract<Decision, { kind: K }>;

/** The browser's default, so that destinations get the same referrer as with a redirect. */
const defaultReferrer = { 'referrer-policy': 'strict-origin-when-cross-origin' };

const frameStyle =
  'html, body { margin: 0; height: 100%; } iframe { display: block; border: 0; width: 100%; height: 100%; }';

// A page in the frame may do whatever sites need, except to navigate the visitor's tab without a click. Payment and clipboard
// are not granted: the browser would ask for them in the name of the link's domain.
const frameSandbox = [
  'allow-downloads',
  'allow-forms',
  'allow-modals',
  'allow-popups',
  'allow-popups-to-escape-sandbox',
  'allow-same-origin',
  'allow-scripts',
  'allow-storage-access-by-user-activation',
  'allow-top-navigation-by-user-activation',
].join(' ');
const frameAllow = "fullscreen; payment 'none'; clipboard-read 'none'; clipboard-write 'none'";

/** The destination in a frame of full size, under the title of the link's meta tags or the destination's host (4.8). */
export function createCloakPage({ title, location }: DecisionOf<'cloak'>, language: Language): Page {
  const src = escapeHtml(location);
  return createPage({
    status: 200,
    language,
    title,
    style: frameStyle,
    // Any host: the policy applies to the frame's own redirects and links too.
    csp: ['frame-src http: https:'],
    headers: defaultReferrer,
    body: `<iframe src="${src}" title="${escapeHtml(title)}" sandbox="${frameSandbox}" allow="${frameAllow}"></iframe>`,
  });
}

const fallbackAfterMs = 1_500;

// The addresses come from the page's own links. A hidden page means that the app opened: the timer is cleared.
const deepLinkScript = `
const app = document.getElementById('app').href;
const web = document.getElementById('web').href;
const timer = setTimeout(() => { if (!document.hidden) location.replace(web); }, ${fallbackAfterMs});
const stop = () => { if (document.hidden) clearTimeout(timer); };
document.addEventListener('visibilitychange', stop);
addEventListener('pagehide', () => clearTimeout(timer));
location.href = app;
`;
const deepLinkCsp = [`script-src ${cspHash(deepLinkScript)}`];

/** A page that tries to open an app, and leads to the destination when none opens (4.11). */
export function createDeepLinkPage({ deepLink, location }: DecisionOf<'deepLink'>, language: Language): Page {
  const { title, text, app, web } = texts[language].deepLink;
  const fallback = escapeHtml(location);
  return createPage({
    status: 200,
    language,
    title,
    head: `<noscript><meta http-equiv="refresh" content="0; url=${fallback}"></noscript>\n`,
    csp: deepLinkCsp,
    headers: defaultReferrer,
    body: `<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
<a class="button" id="app" href="${escapeHtml(deepLink)}">${escapeHtml(app)}</a>
<a class="button quiet" id="web" href="${fallback}">${escapeHtml(web)}</a>
</main>
<script>${deepLinkScript}</script>`,
  });
}

/**
 * The page for crawlers that build previews of a link: Open Graph and Twitter tags, and a link to the destination (4.9).
 * @param fileUrl returns the public address of a stored file.
 */
export function createPreviewPage(
  { metaTags, location }: DecisionOf<'preview'>,
  language: Language,
  fileUrl: (key: string) => string,
): Page {
  const { description, imageKey } = metaTags;
  const title = metaTags.title || (URL.parse(location)?.host ?? '');
  const image = imageKey === null ? null : fileUrl(imageKey);
  const tags: [attribute: 'property' | 'name', name: string, value: string | null][] = [
    ['property', 'og:type', 'website'],
    ['property', 'og:title', title || null],
    ['property', 'og:description', description],
    ['property', 'og:image', image],
    ['name', 'description', description],
    ['name', 'twitter:card', image === null ? 'summary' : 'summary_large_image'],
    ['name', 'twitter:title', title || null],
    ['name', 'twitter:description', description],
    ['name', 'twitter:image', image],
  ];
  const head = tags
    .filter(([, , value]) => value !== null && value !== '')
    .map(([attribute, name, value]) => `<meta ${attribute}="${name}" content="${escapeHtml(value!)}">\n`)
    .join('');
  const about = description === null || description === '' ? '' : `\n<p>${escapeHtml(description)}</p>`;
  return createPage({
    status: 200,
    language,
    title,
    head,
    body: `<main>
<h1>${escapeHtml(title)}</h1>${about}
<a class="button" href="${escapeHtml(location)}">${escapeHtml(texts[language].preview.link)}</a>
</main>`,
  });
}
