import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { escapeHtml } from '#core/lib/text/escape-html.ts';
import { readBuilt, sendUnbuilt } from './unbuilt.ts';

interface ConsoleOptions {
  /** Public address of the API. */
  baseUrl: string;
  /** Folder of the built console (`scripts/build/console.ts`). */
  folder: string;
}

const yearSeconds = 365 * 24 * 3_600;
const oneSegment = /^[\w.-]+$/;
const hidden = { config: { access: 'public' as const }, schema: { hide: true } };

/** The web console: static files, with a fresh nonce in each page (docs/console.md). */
export async function consoleRoutes(app: FastifyInstance, { baseUrl, folder }: ConsoleOptions): Promise<void> {
  const { origin, pathname } = new URL(baseUrl);
  const base = `${pathname.replace(/\/$/, '')}/console`;
  // The folder may not be there yet.
  const options = { root: folder, serve: false, preCompressed: true, suppressWarning: true };
  await app.register(fastifyStatic, options);

  // A person who opens the address of the API in a browser means the console.
  app.get('/', hidden, async (request, reply) => {
    if (!prefersHtml(request)) return reply.callNotFound();
    return reply.redirect(base);
  });
  app.get('/console', hidden, sendPage);
  app.get('/console/*', hidden, sendPage);
  app.get<{ Params: { name: string } }>('/console/icon.svg', hidden, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=3600').sendFile('icon.svg', { cacheControl: false }),
  );
  app.get<{ Params: { name: string } }>('/console/assets/:name', hidden, async (request, reply) => {
    const { name } = request.params;
    if (!oneSegment.test(name)) return reply.callNotFound();
    // Names hold a hash of the content.
    return reply.sendFile(join('assets', name), { maxAge: yearSeconds * 1_000, immutable: true });
  });

  async function sendPage(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const page = await readBuilt(join(folder, 'index.html'));
    if (page === undefined) return sendUnbuilt(reply, 'console');
    const nonce = randomBytes(16).toString('base64');
    void reply.headers({
      'content-security-policy': policy(nonce),
      'x-robots-tag': 'noindex',
    });
    return reply.type('text/html; charset=utf-8').send(
      page
        .replaceAll('WAYMARK_NONCE', nonce)
        .replaceAll(/(src|href)="\.\//g, `$1="${escapeHtml(base)}/`)
        .replace('name="waymark-base" content=""', `name="waymark-base" content="${escapeHtml(origin + pathname)}"`),
    );
  }
}

function policy(nonce: string): string {
  return [
    // Not 'none': Firefox asks it for the preloads of modules.
    "default-src 'self'",
    "script-src 'self'",
    // The nonce is for two style elements of React Aria.
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "worker-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function prefersHtml({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') ?? false;
}
