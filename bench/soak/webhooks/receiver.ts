import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createReceivers } from '#test/support/receivers.ts';
import { between, type Random } from '#bench/soak/random.ts';

/** The requests to one address: for each event their number, and the hashes of their bodies. */
export type Received = Map<string, { times: number; bodies: Set<string> }>;

/** A receiver in the process of the test, which no kill of a component touches. */
export interface SoakReceiver extends AsyncDisposable {
  /** Settings with which Waymark may call the receiver. */
  env: NodeJS.ProcessEnv;
  /** Opens an address of its own. */
  open(path: string): { url: string; received: Received };
  /** An address that answers 410, which turns a webhook off. */
  goneUrl(path: string): string;
}

const gonePath = '/gone';
const failureShare = 0.02;
const leastMs = 1;
const mostMs = 20;
// Short gaps, so that a round does not wait for retries.
const retryDelays = '0.3,0.6,1,2,4';

/** The receiver answers after a random delay, and refuses one request in fifty. */
export async function startSoakReceiver(random: Random): Promise<SoakReceiver> {
  const receivers = createReceivers();
  const addresses = new Map<string, Received>();
  const take = async (url: string, id: string, body: Buffer): Promise<number> => {
    await sleep(between(random, leastMs, mostMs));
    if (url.startsWith(gonePath)) return 410;
    const received = addresses.get(url);
    if (received === undefined || random() < failureShare) return 500;
    // Counted before the answer goes out: every delivery that Waymark records must be counted here.
    note(received, id, body);
    return 204;
  };
  const port = await receivers.https((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts);
      void take(request.url ?? '', String(request.headers['webhook-id']), body).then((status) =>
        response.writeHead(status).end(),
      );
    });
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
      return { url: `https://127.0.0.1:${port}${path}`, received };
    },
    goneUrl: (path) => `https://127.0.0.1:${port}${gonePath}${path}`,
    [Symbol.asyncDispose]: () => receivers.dispose(),
  };
}

function note(received: Received, id: string, body: Buffer): void {
  const known = received.get(id) ?? { times: 0, bodies: new Set() };
  known.times += 1;
  known.bodies.add(hashOf(body));
  received.set(id, known);
}

export function hashOf(body: string | Buffer): string {
  return createHash('sha256').update(body).digest('base64');
}
