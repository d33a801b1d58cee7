import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { fastify, type FastifyReply, type FastifyRequest } from 'fastify';
import { type CacheableAnswer, createCacheableAnswer, sendCacheable } from '#api/cacheable-answer.ts';

// The page loads and calls its own server alone. Scalar writes styles into the page; it needs no script but the page's own.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

// Hides Scalar's name and its picture of an empty answer.
const style = 'a[href*="scalar.com"], .ascii-art-animate { display: none !important; }';

const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#60646c"/><path d="M10 22 22 10M12 10h10v10" fill="none" stroke="#fff" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/></svg>',
)}`;

/** The page at /ui: Scalar's reference of /doc, which asks no other server for anything (ADR 41). @param baseUrl public address. */
export function createReferencePage(baseUrl: string) {
  const path = new URL(baseUrl).pathname.replace(/\/$/, '');
  const settings = {
    url: `${path}/doc`,
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: 'never',
    agent: { disabled: true },
    mcp: { disabled: true },
    // A key stays in the page's memory, so that the next user of the browser does not find it.
    persistAuth: false,
    authentication: { preferredSecurityScheme: 'apiKey' },
    customCss: style,
  };
  const start = createCacheableAnswer(
    'text/javascript; charset=utf-8',
    `Scalar.createApiReference('#reference', ${JSON.stringify(settings)});\n`,
  );
  const page = createCacheableAnswer(
    'text/html; charset=utf-8',
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Waymark API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="${icon}">
</head>
<body>
<div id="reference"></div>
<noscript>This page needs JavaScript. The description of the API for programs is at <a href="${path}/doc">/doc</a>.</noscript>
<script src="${path}/ui/scalar.js"></script>
<script src="${path}/ui/start.js"></script>
</body>
</html>
`,
  );
  const send = (request: FastifyRequest, reply: FastifyReply, answer: CacheableAnswer): FastifyReply =>
    sendCacheable(request, reply.header('content-security-policy', policy), answer);
  let program: Promise<CacheableAnswer> | undefined;
  return {
    sendPage: (request: FastifyRequest, reply: FastifyReply) => send(request, reply, page),
    /** Sends the script that starts the page. */
    sendStart: (request: FastifyRequest, reply: FastifyReply) => send(request, reply, start),
    /** Sends Scalar, the program of the page. */
    async sendProgram(request: FastifyRequest, reply: FastifyReply) {
      program ??= loadProgram().catch((error: unknown) => {
        program = undefined;
        throw error;
      });
      // Every browser takes gzip: 1.4 MB in place of 4.9.
      return send(request, reply.header('content-encoding', 'gzip'), await program);
    },
  };
}

/** Loads the program at the first call, because it takes some 25 MB of memory. The package hands it out by a route alone. */
async function loadProgram(): Promise<CacheableAnswer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const app = fastify();
  await app.register(scalar, { routePrefix: '/ui', configuration: { url: '/doc' } });
  const { rawPayload } = await app.inject('/ui/js/scalar.js');
  await app.close();
  return createCacheableAnswer('text/javascript; charset=utf-8', await promisify(gzip)(rawPayload));
}
