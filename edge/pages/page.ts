import { createHash } from 'node:crypto';
import type { Language } from './texts/texts.ts';

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** A page of the edge itself, ready to be sent. */
export interface Page {
  readonly status: number;
  /** Names and values in turn, as `writeHead` takes them. */
  readonly headerList: readonly string[];
  readonly body: Buffer;
}

/** The parts of a page. */
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
  /** Directives that the page needs beside those of all pages. */
  readonly csp?: readonly string[];
  /** Whether the page may send a form. */
  readonly hasForm?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

const pageStyle = `
:root { color-scheme: light dark; --text: #1c2024; --soft: #60646c; --ground: #fcfcfd; --line: #cdced6; --strong: #1c2024;
  --on-strong: #fcfcfd; --alarm: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --text: #edeef0; --soft: #b0b4ba; --ground: #111113; --line: #43484e;
  --strong: #edeef0; --on-strong: #111113; --alarm: #ff9592; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--ground); color: var(--text);
  font: 1.0625rem/1.6 system-ui, sans-serif; }
main { width: min(32rem, 100% - 3rem); margin: 1.5rem; padding-left: 1.25rem; border-left: 3px solid var(--line); }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
p { margin: 0; color: var(--soft); overflow-wrap: anywhere; }
p.alarm { margin-top: .75rem; color: var(--alarm); }
label { display: block; margin: 1rem 0 .25rem; font-size: .9375rem; }
input, button, a.button { display: block; width: 100%; padding: .625rem .875rem; border: 1px solid var(--line);
  border-radius: .5rem; background: var(--ground); color: var(--text); font: inherit; }
button, a.button { margin-top: .75rem; border-color: var(--strong); background: var(--strong); color: var(--on-strong);
  text-align: center; text-decoration: none; cursor: pointer; }
a.button.quiet { border-color: var(--line); background: var(--ground); color: var(--text); }
:focus-visible { outline: 2px solid #3e63dd; outline-offset: 2px; }
`;

/** Renders a page: dark or light as the visitor prefers, readable on a phone, without any other resource. */
export function createPage(parts: PageParts): Page {
  const { status, language, title, head = '', style = pageStyle, csp = [], hasForm = false } = parts;
  const policy = ["default-src 'none'", `style-src ${cspHash(style)}`, "base-uri 'none'", "frame-ancestors 'none'"];
  // Browsers apply form-action to redirects after a form too, so a page with a form cannot have it: its answer redirects to
  // the destination.
  if (!hasForm) policy.push("form-action 'none'");
  const body = Buffer.from(`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
${head}<style>${style}</style>
</head>
<body>
${parts.body}
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

/** Escapes a text for HTML, between tags and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.toWellFormed().replaceAll(/[&<>"']/g, (character) => escapes[character]!);
}

/** The source expression that allows one inline style or script in a Content-Security-Policy. */
export function cspHash(content: string): string {
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
}
