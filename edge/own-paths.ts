import type { FastifyReply } from 'fastify';
import { normalizeHost } from '../core/host.ts';
import type { Lookup } from './lookup/index.ts';
import type { EdgeReadiness } from './readiness.ts';
import { sendStatus } from './respond/index.ts';
import type { Target } from './target.ts';

/** What the edge's own paths tell of. */
export interface OwnPathsOptions {
  readiness: Pick<EdgeReadiness, 'report'>;
  lookup: Pick<Lookup, 'domain'>;
}

/** Answers paths that are there on every host, served or not; the function tells whether the target is one of them. */
export function createOwnPaths({
  readiness,
  lookup,
}: OwnPathsOptions): (target: Target, reply: FastifyReply) => boolean {
  const senders = new Map<string, (reply: FastifyReply, target: Target) => void>([
    ['/.well-known/waymark/healthz', (reply) => sendStatus(reply, 200, { status: 'ok' })],
    [
      '/.well-known/waymark/readyz',
      (reply) => void readiness.report().then((report) => sendStatus(reply, 200, report)),
    ],
    ['/.well-known/waymark/tls-allowed', (reply, { query }) => void tellTls(reply, query)],
  ]);

  /** Whether a certificate may be had for a host: for those that links are served under (7.5). */
  async function tellTls(reply: FastifyReply, query: string): Promise<void> {
    const name = new URLSearchParams(query).get('domain') ?? '';
    // A name, not an authority; in the bytes in which a header would bear it.
    const host = name.includes(':') ? null : (normalizeHost(Buffer.from(name).toString('latin1')) ?? null);
    try {
      const isServed = host !== null && (await lookup.domain(host)) !== null;
      sendStatus(reply, isServed ? 200 : 404, { allowed: isServed });
    } catch {
      // Who cannot know does not say no: the proxy asks again with the next visitor.
      sendStatus(reply, 503, { allowed: false });
    }
  }

  return (target, reply) => {
    const send = senders.get(target.path);
    send?.(reply, target);
    return send !== undefined;
  };
}
