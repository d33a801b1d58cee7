import { createClientLimit } from '#core/limits/client-limit.ts';
import { normalizeHost } from '#core/domains/host.ts';
import { recent } from '#core/limits/recent.ts';
import { copyText } from '#core/lib/text/copy-text.ts';
import { LRUCache } from 'lru-cache';
import type { Reply, VisitRequest } from './http/exchange.ts';
import type { Lookup } from './lookup/lookup.ts';
import type { EdgeReadiness } from './readiness.ts';
import { sendStatus } from './pages/respond.ts';
import type { Target } from './request-target.ts';

interface SystemPathsOptions {
  readiness: Pick<EdgeReadiness, 'report'>;
  lookup: Pick<Lookup, 'domain'>;
  addressOf(request: VisitRequest): string;
  /** Whether readiness and certificates are asked for on an internal port alone. */
  hasInternalPort: boolean;
}

/** Answers a path that exists on every host, served or not. @returns whether `target` is one. */
type AnswerSystemPath = (target: Target, reply: Reply) => boolean;

// Readiness and certificates cost the database queries, and any client may ask (13.2).
const rememberedForMs = 1_000;
const perSecond = 200;
const maxRefused = 10_000;

type Send = (reply: Reply, target: Target) => Promise<void> | void;

/** Answers health, readiness, and whether a proxy may request a TLS certificate for a host. */
export function createSystemPaths({ readiness, lookup, addressOf, hasInternalPort }: SystemPathsOptions) {
  const report = recent(() => readiness.report(), rememberedForMs);
  /** Hosts without a right to a certificate. */
  const refused = new LRUCache<string, true>({ max: maxRefused, ttl: rememberedForMs });
  const limit = createClientLimit({ perWindow: perSecond, windowMs: 1_000 });

  /** Allows certificates for the hosts that links are served under (7.5). */
  const tellTls: Send = async (reply, { query }) => {
    const name = new URLSearchParams(query).get('domain') ?? '';
    // A host name without a port; as Latin-1, like the Host header that the lookup expects.
    const host = name.includes(':') ? null : (normalizeHost(Buffer.from(name).toString('latin1')) ?? null);
    try {
      const isServed = host !== null && (await isServedNow(host));
      sendStatus(reply, isServed ? 200 : 404, { allowed: isServed });
    } catch {
      // Not 404: without the database the answer is unknown, and the proxy asks again with the next visitor.
      sendStatus(reply, 503, { allowed: false });
    }
  };

  async function isServedNow(host: string): Promise<boolean> {
    if (refused.has(host)) return false;
    // A host that is served is in memory, and is read again as soon as it changes.
    if ((await lookup.domain(host)) !== null) return true;
    refused.set(copyText(host), true);
    return false;
  }

  const tellReadiness: Send = async (reply) => {
    await report().then(
      ({ isReady, body }) => sendStatus(reply, isReady ? 200 : 503, body),
      () => sendStatus(reply, 503, { status: 'unavailable' }),
    );
  };

  /** Answers 429 to an address that asks too often, so that it cannot keep the database busy. */
  const limited =
    (send: Send): Send =>
    (reply, target) => {
      const retryAfterSeconds = limit.take(addressOf(reply.request));
      if (retryAfterSeconds === undefined) return send(reply, target);
      const headers = ['retry-after', String(retryAfterSeconds)];
      return sendStatus(reply, 429, { status: 'too many requests' }, headers);
    };

  const healthz: [string, Send] = ['/.well-known/waymark/healthz', (reply) => sendStatus(reply, 200, { status: 'ok' })];
  const costly: [string, Send][] = [
    ['/.well-known/waymark/readyz', tellReadiness],
    ['/.well-known/waymark/tls-allowed', tellTls],
  ];
  const answer =
    (senders: ReadonlyMap<string, Send>): AnswerSystemPath =>
    (target, reply) => {
      const send = senders.get(target.path);
      void send?.(reply, target);
      return send !== undefined;
    };
  const publicOnes = costly.map(([path, send]): [string, Send] => [path, limited(send)]);
  return {
    onPublicPort: answer(new Map([healthz, ...(hasInternalPort ? [] : publicOnes)])),
    // Not limited: proxies and probes ask here on behalf of all visitors.
    onInternalPort: answer(new Map([healthz, ...costly])),
  };
}
