import { escapeHtml } from '#core/lib/text/escape-html.ts';
import type { DecisionOf } from '#core/routing/decide.ts';
import { createMessagePage, createPage, type Page } from './page.ts';
import { maxReportComment, reportReasons } from '#core/links/report.ts';
import { reportTarget } from '#edge/request-target.ts';
import { type Language, texts } from './texts/texts.ts';

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

/** The destination in a frame of full size, under the title of the link's meta tags or the destination's host. */
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

// Long enough for a phone to bring an app to the front.
const hintAfterMs = 2_000;

// A page that is still visible then has opened no app.
const deepLinkScript = `
const hint = document.getElementById('hint');
document.getElementById('app').addEventListener('click', () => {
  setTimeout(() => { if (!document.hidden) hint.textContent = hint.dataset.text; }, ${hintAfterMs});
});
`;

/**
 * A page that offers an app and the destination, and opens neither by itself: browsers open apps only after a tap, and
 * without the app a script's attempt ends at the browser's error message.
 */
export function createDeepLinkPage({ deepLink, location }: DecisionOf<'deepLink'>, language: Language): Page {
  const { title, text, app, web, hint } = texts[language].deepLink;
  return createPage({
    status: 200,
    language,
    title,
    script: deepLinkScript,
    headers: defaultReferrer,
    body: `<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(text)}</p>
<a class="button" id="app" href="${escapeHtml(deepLink)}">${escapeHtml(app)}</a>
<a class="button quiet" id="web" href="${escapeHtml(location)}">${escapeHtml(web)}</a>
<p id="hint" role="status" data-text="${escapeHtml(hint)}"></p>
</main>`,
  });
}

/** The page of a link that has ended, or has had all the visits that it was made for. */
export function createGonePage(decision: DecisionOf<'gone'>, language: Language): Page {
  const { expired, capped, date, count } = texts[language];
  const { title, text } =
    decision.endedAtMs === undefined
      ? { title: capped.title, text: capped.text(decision.maxClicks, count(decision.maxClicks)) }
      : { title: expired.title, text: expired.text(date(decision.endedAtMs)) };
  return createMessagePage({ status: 410, language, title, text });
}

/** What a visitor needs to go on after a warning. */
export interface WayOn {
  readonly pass: string;
  /** Path of the link as it was visited. */
  readonly path: string;
  /** Host of the page with the link; null: unknown. The visit is the form's, and its page sends no Referer. */
  readonly referrer: string | null;
}

/**
 * The page that warns of threats at a link's destination. Its form posts to the link's own address, and only `pass` takes
 * the visitor on: the page holds no address that could be followed without a click.
 */
export function createWarningPage(
  decision: DecisionOf<'warning'>,
  language: Language,
  { pass, path, referrer }: WayOn,
): Page {
  const { threatTypes, host } = decision;
  const { title, leadsTo, threats, advice, button } = texts[language].warning;
  const found = [...new Set(threatTypes.map((type) => threats[type]))];
  return createPage({
    status: 200,
    language,
    title,
    hasForm: true,
    body: `<main>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(leadsTo)} <strong>${escapeHtml(host)}</strong>.</p>
${found.map((text) => `<p class="alarm">${escapeHtml(text)}</p>`).join('\n')}
<p>${escapeHtml(advice)}</p>
<form method="post">
<input type="hidden" name="pass" value="${escapeHtml(pass)}">
<input type="hidden" name="referrer" value="${escapeHtml(referrer ?? '')}">
<button class="quiet">${escapeHtml(button(host))}</button>
</form>
${reportLink(path, language)}
</main>`,
  });
}

/** A paragraph that leads to the form by which a link is reported. */
function reportLink(path: string, language: Language): string {
  return `<p class="aside"><a href="${escapeHtml(reportTarget(path))}">${escapeHtml(texts[language].report.link)}</a></p>`;
}

/**
 * The form by which visitors report a link.
 * @param slug percent-encoded, as in the link's path.
 */
export function createReportPage(domain: string, slug: string, language: Language): Page {
  const { title, text, why, reasons, comment, button } = texts[language].report;
  const options = reportReasons.map((reason) => `<option value="${reason}">${escapeHtml(reasons[reason])}</option>`);
  return createPage({
    status: 200,
    language,
    title,
    hasForm: true,
    body: `<main>
<h1>${escapeHtml(title)}</h1>
<p><strong>${escapeHtml(`${domain}/${slug}`)}</strong></p>
<p>${escapeHtml(text)}</p>
<form method="post">
<label for="reason">${escapeHtml(why)}</label>
<select id="reason" name="reason">${options.join('')}</select>
<label for="comment">${escapeHtml(comment)}</label>
<textarea id="comment" name="comment" rows="4" maxlength="${maxReportComment}"></textarea>
<button>${escapeHtml(button)}</button>
</form>
</main>`,
  });
}

/** The page for a client that has given too many wrong passwords. */
export function createTooManyTriesPage(retryAfterSeconds: number, language: Language): Page {
  const { title, text } = texts[language].tooManyTries;
  return createMessagePage({
    status: 429,
    language,
    title,
    text: text(Math.max(1, Math.ceil(retryAfterSeconds / 60))),
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

/**
 * The page for crawlers that build previews of a link: Open Graph and Twitter tags, and a link to the destination.
 * @param fileUrl returns the public address of a stored file.
 */
export function createPreviewPage(
  { metaTags, location }: DecisionOf<'preview'>,
  language: Language,
  fileUrl: (key: string) => string,
): Page {
  const { description, imageKey, imageSize } = metaTags;
  const destination = URL.parse(location);
  // A mail or phone link has no host, and its address is what it leads to.
  const title = metaTags.title?.trim() || destination?.host || destination?.pathname || location;
  const image = imageKey === null ? null : fileUrl(imageKey);
  const tags: [attribute: 'property' | 'name', name: string, value: string | null][] = [
    ['property', 'og:type', 'website'],
    ['property', 'og:title', title],
    ['property', 'og:description', description],
    ['property', 'og:image', image],
    // By which previewers show the first preview with its picture.
    ['property', 'og:image:width', image === null ? null : (imageSize?.width.toString() ?? null)],
    ['property', 'og:image:height', image === null ? null : (imageSize?.height.toString() ?? null)],
    ['name', 'description', description],
    ['name', 'twitter:card', image === null ? 'summary' : 'summary_large_image'],
    ['name', 'twitter:title', title],
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
