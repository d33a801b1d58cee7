import { readFile } from 'node:fs/promises';
import type { FastifyReply } from 'fastify';

const texts = {
  console: { heading: 'The console is being built', command: 'npm run console', within: 'half a minute' },
  site: { heading: 'The documentation is being built', command: 'npm run site', within: 'some two minutes' },
} as const;

/** `npm start` builds both after its first `ready`: the page looks again by itself. */
export function sendUnbuilt(reply: FastifyReply, what: keyof typeof texts): FastifyReply {
  const { heading, command, within } = texts[what];
  return reply
    .code(503)
    .headers({ 'retry-after': 2, 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" })
    .type('text/html; charset=utf-8')
    .send(
      [
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="2">',
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">',
        `<title>Waymark</title></head><body><h1>${heading}</h1>`,
        `<p><code>npm start</code> builds it once, within ${within}. This page looks again every two seconds.</p>`,
        `<p>A server that was started by <code>node server.ts</code> needs <code>${command}</code> first.</p>`,
        '</body></html>',
      ].join(''),
    );
}

/** The text of a built file; undefined: it is not built yet. */
export async function readBuilt(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
