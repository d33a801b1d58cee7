import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createReceivers } from '#test/support/receivers.ts';
import { between, type Random } from '#bench/soak/random.ts';

/** What came to one address: for each event how often, and the hashes of the bodies that it came with. */
export type Received = Map<string, { times: number; bodies: Set<string> }>;

/** A receiver of webhooks, in this process, that no fault of Waymark's parts reaches. */
export interface SoakReceiver extends AsyncDisposable {
  /** Settings that let Waymark call it. */
  env: NodeJS.ProcessEnv;
  /** Opens an address of its own. */
  open(path: string): { url: string; received: Received };
}

const failureShare = 0.02;
const leastMs = 1;
const mostMs = 20;
// Short, so that a round need not wait for a retry.
const retryDelays = '0.3,0.6,1,2,4';

/** Starts it: it takes its time over each request, and refuses one in fifty. */
export async function startSoakReceiver(random: Random): Promise<SoakReceiver> {
  const receivers = createReceivers();
  const addresses = new Map<string, Received>();
  const take = async (url: string, id: string, body: Buffer): Promise<number> => {
    await sleep(between(random, leastMs, mostMs));
    const received = addresses.get(url);
    if (received === undefined || random() < failureShare) return 500;
    // Noted before the answer is on its way: what Waymark believes to be delivered must be among it.
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
    [Symbol.asyncDispose]: () => receivers.dispose(),
  };
}

function note(received: Received, id: string, body: Buffer): void {
  const known = received.get(id) ?? { times: 0, bodies: new Set() };
  known.times += 1;
  known.bodies.add(hashOf(body));
  received.set(id, known);
}

/** The hash by which bodies are compared. */
export function hashOf(body: string | Buffer): string {
  return createHash('sha256').update(body).digest('base64');
}
