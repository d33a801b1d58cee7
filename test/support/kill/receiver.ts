import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { createReceivers } from '#test/support/receivers.ts';
import { between, type Random } from './random.ts';

/** The requests to one address: for each event their number, and the hashes of their bodies. */
export type Received = Map<string, { times: number; bodies: Set<string> }>;

/** A receiver of webhooks in the process of the test, which no kill of a component touches. */
export interface KillReceiver extends AsyncDisposable {
  /** Settings with which Waymark may call the receiver. */
  env: NodeJS.ProcessEnv;
  /** Opens an address of its own. */
  open(path: string): { url: string; received: Received; close(): void };
  /** An address that answers 410, which turns a webhook off. */
  goneUrl(path: string): string;
}

const gonePath = '/gone';
const failureShare = 0.02;
const leastMs = 1;
const mostMs = 20;
// Short gaps, so that a round does not wait for retries.
const retryDelays = '0.3,0.6,1,2,4';

export const hashOf = (body: string | Buffer): string => hash('sha256', body);

/** The receiver answers after a random delay, and refuses one request in fifty. */
export async function startKillReceiver(random: Random): Promise<KillReceiver> {
  const receivers = createReceivers();
  const addresses = new Map<string, Received>();
  const take = async (url: string, id: string, body: Buffer): Promise<number> => {
    await sleep(between(random, leastMs, mostMs));
    if (url.startsWith(gonePath)) return 410;
    const received = addresses.get(url);
    if (received === undefined || random() < failureShare) return 500;
    // Counted before the answer goes out: every delivery that Waymark records must be counted here.
    const known = received.get(id) ?? { times: 0, bodies: new Set() };
    known.times += 1;
    known.bodies.add(hashOf(body));
    received.set(id, known);
    return 204;
  };
  const port = await receivers.https((request, response) => {
    // A killed worker breaks its requests.
    void buffer(request).then(
      async (body) => {
        const status = await take(request.url ?? '', String(request.headers['webhook-id']), body);
        response.writeHead(status).end();
      },
      () => undefined,
    );
  });
  return {
    env: {
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      WEBHOOK_CA_FILE: receivers.caFile,
      WEBHOOK_RETRY_DELAYS: retryDelays,
    },
    open(path) {
      const received: Received = new Map();
      addresses.set(path, received);
      return { url: `https://127.0.0.1:${port}${path}`, received, close: () => void addresses.delete(path) };
    },
    goneUrl: (path) => `https://127.0.0.1:${port}${gonePath}${path}`,
    [Symbol.asyncDispose]: () => receivers.dispose(),
  };
}
