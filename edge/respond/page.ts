import { createHash } from 'node:crypto';

/** A page of the edge itself, ready to be sent. */
export interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const style = `
:root { color-scheme: light dark; --text: #1c2024; --soft: #60646c; --ground: #fcfcfd; --line: #e0e1e6; }
@media (prefers-color-scheme: dark) { :root { --text: #edeef0; --soft: #b0b4ba; --ground: #111113; --line: #363a3f; } }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--ground); color: var(--text);
  font: 1.0625rem/1.6 system-ui, sans-serif; }
main { max-width: 32rem; margin: 1.5rem; padding-left: 1.25rem; border-left: 3px solid var(--line); }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; }
p { margin: 0; color: var(--soft); }
`;
const styleHash = createHash('sha256').update(style).digest('base64');

const pageHeaders = {
  'cache-control': 'private, no-store',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex',
};

/** Makes a small page: dark or light as the visitor prefers, readable on a phone, without scripts. */
function createPage(status: number, title: string, text: string, headers: Record<string, string> = {}): Page {
  const body = Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
</body>
</html>
`);
  return { status, headers: { ...pageHeaders, ...headers, 'content-length': String(body.length) }, body };
}

/** How long a client should wait before it asks again, in seconds. */
const retryAfterSeconds = '5';

/** The pages of the edge. */
export const pages = {
  bare: createPage(200, 'Waymark', 'This address serves short links. Add the name of one to be taken where it leads.'),
  badRequest: createPage(400, 'Bad request', 'The server could not make sense of this request.'),
  notFound: createPage(
    404,
    'Link not found',
    'There is no link at this address. Check that it is spelled as it was given to you.',
  ),
  methodNotAllowed: createPage(405, 'Method not allowed', 'Links can be visited with GET and HEAD.', {
    allow: 'GET, HEAD',
  }),
  gone: createPage(410, 'Link expired', 'This link has led somewhere before. It is no longer in use.'),
  timeout: createPage(408, 'Request timed out', 'The request took too long to arrive.'),
  headersTooLarge: createPage(
    431,
    'Request too large',
    'The headers of this request are larger than this server accepts.',
  ),
  failed: createPage(500, 'Something went wrong', 'The server could not answer this request. It has been noted.'),
  unavailable: createPage(
    503,
    'Not available right now',
    'This link cannot be opened at the moment. Please try again shortly.',
    {
      'retry-after': retryAfterSeconds,
    },
  ),
} as const;
