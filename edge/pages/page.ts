import { createHash } from 'node:crypto';
import { escapeHtml } from '#core/lib/text/escape-html.ts';
import type { Language } from './texts/texts.ts';

/** A page of the edge itself, ready to be sent. */
export interface Page {
  readonly status: number;
  /** Names and values in turn, as `writeHead` takes them. */
  readonly headerList: readonly string[];
  readonly body: Buffer;
}

interface PageParts {
  readonly status: number;
  readonly language: Language;
  /** Plain text. */
  readonly title: string;
  /** HTML of the body; the caller escapes. */
  readonly body: string;
  /** HTML of further elements of the head. */
  readonly head?: string;
  /** Replaces the style of all pages. */
  readonly style?: string;
  readonly script?: string;
  /** Directives that the page needs beside those of all pages. */
  readonly csp?: readonly string[];
  readonly hasForm?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

const pageStyle = `
:root { color-scheme: light dark; --text: #1c2024; --soft: #60646c; --ground: #fcfcfd; --line: #80838d; --strong: #1c2024;
  --on-strong: #fcfcfd; --alarm: #b3261e; --focus: #3e63dd; }
@media (prefers-color-scheme: dark) { :root { --text: #edeef0; --soft: #b0b4ba; --ground: #111113; --line: #777b84;
  --strong: #edeef0; --on-strong: #111113; --alarm: #ff9592; --focus: #8da4ef; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; place-items: center; background: var(--ground); color: var(--text);
  font: 1.0625rem/1.6 system-ui, sans-serif; }
main { width: min(32rem, 100% - 3rem); margin: 1.5rem; padding-left: 1.25rem; border-left: 3px solid var(--line); }
h1 { margin: 0 0 .5rem; hyphens: auto; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
p { margin: 0; color: var(--soft); overflow-wrap: anywhere; }
p + p { margin-top: .75rem; }
p.alarm { margin-top: .75rem; color: var(--alarm); font-weight: 600; }
p[role=status]:not(:empty) { margin-top: 1rem; color: var(--text); }
label { display: block; margin: 1rem 0 .25rem; font-size: .9375rem; }
strong { color: var(--text); }
input, select, textarea, button, a.button { display: block; width: 100%; padding: .625rem .875rem; border: 1px solid var(--line);
  border-radius: .5rem; background: var(--ground); color: var(--text); font: inherit; overflow-wrap: anywhere; }
textarea { resize: vertical; }
button, a.button { margin-top: .75rem; border-color: var(--strong); background: var(--strong); color: var(--on-strong);
  text-align: center; text-decoration: none; cursor: pointer; }
.quiet, a.button.quiet { border-color: var(--line); background: var(--ground); color: var(--text); }
.quiet[aria-pressed=true] { border-color: var(--strong); background: var(--strong); color: var(--on-strong); }
a { color: inherit; }
p.aside { margin-top: 1rem; font-size: .9375rem; }
.field { display: flex; gap: .5rem; }
.field input { flex: 1; min-width: 0; }
.field button { width: auto; margin: 0; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
`;

const pageStyleHash = cspHash(pageStyle);

/** The icon of all pages, an SVG image. It bears no name: links are served under customers' own domains. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#60646c"/><path d="M10 22 22 10M12 10h10v10" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
const iconUrl = `data:image/svg+xml,${encodeURIComponent(icon)}`;

/** Renders a page: dark or light as the visitor prefers, readable on a phone, without any other resource. */
export function createPage(parts: PageParts): Page {
  const { status, language, title, head = '', style = pageStyle, script, csp = [], hasForm = false } = parts;
  const policy = [
    "default-src 'none'",
    `style-src ${style === pageStyle ? pageStyleHash : cspHash(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  if (script !== undefined) policy.push(`script-src ${cspHash(script)}`);
  // Browsers apply form-action to redirects after a form too, so a page with a form cannot have it: its answer redirects to
  // the destination.
  if (!hasForm) policy.push("form-action 'none'");
  const body = Buffer.from(`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${iconUrl}">
${head}<style>${style}</style>
</head>
<body>
${parts.body}${script === undefined ? '' : `\n<script>${script}</script>`}
</body>
</html>
`);
  return {
    status,
    headerList: Object.entries({
      'cache-control': 'private, no-store',
      'content-security-policy': [...policy, ...csp].join('; '),
      'content-language': language,
      'content-type': 'text/html; charset=utf-8',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
      ...parts.headers,
      'content-length': String(body.length),
    }).flat(),
    body,
  };
}

/** Renders a page that says one thing: a heading, and a paragraph below it. Both are plain text. */
export function createMessagePage(
  parts: Omit<PageParts, 'body' | 'script' | 'hasForm'> & { readonly text: string },
): Page {
  const { title, text } = parts;
  return createPage({
    ...parts,
    body: `<main>\n<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(text)}</p>\n</main>`,
  });
}

/** The source expression that allows one inline style or script in a Content-Security-Policy. */
function cspHash(content: string): string {
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
}
