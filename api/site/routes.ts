import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { readBuilt, sendUnbuilt } from '#api/console/unbuilt.ts';

interface SiteOptions {
  /** Folder of the built site (`scripts/build/site.ts`). */
  folder: string;
}

const yearSeconds = 365 * 24 * 3_600;
// Segments of names, none of which begins with a dot.
const path = /^(?:[\w@-][\w.@-]*(?:\/[\w@-][\w.@-]*)*\/?)?$/;
const file = /(?:\.(?:md|txt|json|svg|png|css|tgz|whl|yml)|\/SHA256SUMS)$/;
// What is worth it was compressed when it was built.
const hidden = { config: { access: 'public' as const }, schema: { hide: true }, compress: false as const };

/**
 * The documentation site below /docs: pages, their Markdown, `llms.txt`, which lists them, and the packages of SDKs, command line and
 * browser extension, the skill for agents and the action for GitHub.
 */
export async function siteRoutes(app: FastifyInstance, { folder }: SiteOptions): Promise<void> {
  // The folder may not be there yet.
  const options = { root: folder, serve: false, preCompressed: true, suppressWarning: true };
  await app.register(fastifyStatic, options);

  // Pages find each other and their parts below `/docs/`.
  app.get('/docs', hidden, async (request, reply) =>
    /^[^?]*\/(?:\?|$)/.test(request.url) ? sendPage('index.html', reply) : reply.redirect('/docs/'),
  );
  app.get<{ Params: { '*': string } }>('/docs/*', hidden, async (request, reply) => {
    const name = request.params['*'];
    if (!path.test(name)) return reply.callNotFound();
    // Names of assets hold a hash of the content.
    if (name.startsWith('assets/')) return reply.sendFile(name, { maxAge: yearSeconds * 1_000, immutable: true });
    const page = [`${name}.html`, join(name, 'index.html')].find((file) => existsSync(join(folder, file)));
    if (page !== undefined) return sendPage(page, reply);
    if (!file.test(name) || !existsSync(join(folder, name))) return sendPage('404.html', reply.code(404));
    void reply.header('cache-control', 'public, max-age=3600');
    return reply.sendFile(name, { cacheControl: false });
  });

  async function sendPage(file: string, reply: FastifyReply): Promise<FastifyReply> {
    const page = await readBuilt(join(folder, file));
    if (page === undefined) return sendUnbuilt(reply, 'site');
    void reply.headers({ 'content-security-policy': policy(page), 'cache-control': 'no-cache' });
    return reply.sendFile(file, { cacheControl: false });
  }
}

/** Allows the scripts that stand in the page, which choose its colours before it is shown. */
function policy(page: string): string {
  const scripts = [...page.matchAll(/<script(?![^>]* src=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, text]) => `'sha256-${createHash('sha256').update(text!).digest('base64')}'`,
  );
  return [
    "default-src 'self'",
    `script-src 'self' ${scripts.join(' ')}`,
    // Each word of a sample of code has its colour.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
