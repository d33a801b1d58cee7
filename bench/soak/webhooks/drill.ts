import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '#bench/soak/client.ts';
import { between, createRandom } from '#bench/soak/random.ts';
import type { Component, SoakStack } from '#bench/soak/stack.ts';
import { eventTypes, type EventType } from '#core/webhooks/events.ts';
import { auditEvents, auditReceived, type EventAudit, readRoundEvents, type ReceivedAudit } from './audit.ts';
import { startEventLoad } from './load.ts';
import type { SoakReceiver } from './receiver.ts';

/** The result of a round. */
export interface WebhookDrillResult {
  component: Component;
  seed: number;
  /** Changes and visits that clients were answered. */
  done: number;
  events: EventAudit;
  /** Of all webhooks together. */
  received: ReceivedAudit;
  /** Seconds from the end of the load until every webhook had every event; null: not within the deadline. */
  settledSeconds: number | null;
}

/** The number of webhooks; each is sent every event. */
export const webhooksPerRound = 3;

// A limit: one minute (12.5), doubled for slow machines.
const deadlineMs = 90_000;
const pollMs = 100;
const earliestKillMs = 300;
const latestKillMs = 2_000;
// A run of housekeeping takes about as long.
const latestHousekeepingMs = 300;
const housekeepingEveryMs = 5_000;
// The drill causes no event of these types, which need DNS records: test/activities/domains does.
const uncaused: readonly EventType[] = ['domain.verified', 'domain.lost'];
/** The number of types of which a round has events. */
export const causedTypes = eventTypes.length - uncaused.length;

/** Whether every change has its event, no event is there twice, and every event reached every webhook unchanged. */
export function isWhole({ events, received, settledSeconds }: WebhookDrillResult): boolean {
  const faults = [Object.keys(events.unwritten).length, events.doubled, received.lost, received.altered];
  return faults.every((count) => count === 0) && events.types === causedTypes && settledSeconds !== null;
}

/**
 * One round: makes events for some webhooks, kills a component meanwhile, and compares requests with events.
 * @param patience how many times as long as a quiet machine another may take.
 */
export async function webhookDrill(
  stack: SoakStack,
  receiver: SoakReceiver,
  component: Component,
  { seed, events: wanted, patience = 1 }: { seed: number; events: number; patience?: number },
): Promise<WebhookDrillResult> {
  const random = createRandom(seed);
  const addresses = Array.from({ length: webhooksPerRound }, (_, index) =>
    receiver.open(`/${component}/${seed}/${index}`),
  );
  const urls = addresses.map(({ url }) => url);
  const webhooks = await openWebhooks(stack, urls);
  const goneWebhooks = await openWebhooks(stack, [receiver.goneUrl(`/${component}/${seed}`)]);
  using load = startEventLoad(stack, random);
  await sleep(between(random, earliestKillMs, latestKillMs));
  // Temporal may be the component that dies.
  const report = (): Promise<void> => stack.runHousekeeping().catch(() => {});
  const early = report();
  await sleep(between(random, 0, latestHousekeepingMs));
  const { back } = stack.kill(component);
  await Promise.all([load.reached(wanted), back, early]);
  const startedAt = performance.now();
  let reportedAt = Number.NEGATIVE_INFINITY;
  const look = async () => {
    const changes = { links: load.links, imports: load.imports, goneWebhooks };
    const stored = await readRoundEvents(stack.db, changes);
    const events = auditEvents(changes, stored);
    const received = auditReceived(
      stored,
      addresses.map((address) => address.received),
    );
    if (events.unreported > 0 && performance.now() - reportedAt > housekeepingEveryMs) {
      reportedAt = performance.now();
      await report();
    }
    return { events, received };
  };
  let found = await until(startedAt + patience * deadlineMs, async () => {
    const { events, received } = await look();
    return Object.keys(events.unwritten).length === 0 && received.lost === 0 ? { events, received } : undefined;
  });
  const settledSeconds = found === undefined ? null : (performance.now() - startedAt) / 1_000;
  found ??= await look();
  await closeWebhooks(stack, [...webhooks, ...goneWebhooks]);
  return { component, seed, done: load.done(), ...found, settledSeconds };
}

async function openWebhooks(stack: SoakStack, urls: readonly string[]): Promise<string[]> {
  using api = createClient(stack.apiUrl, 1);
  const headers = { 'x-api-key': stack.apiKey, 'content-type': 'application/json' };
  const ids: string[] = [];
  for (const url of urls) {
    const body = JSON.stringify({ url, events: eventTypes });
    const outcome = await api.send({ method: 'POST', path: '/webhook', headers, body });
    if (outcome.kind !== 'answer' || outcome.status !== 201) throw new Error(`no webhook: ${JSON.stringify(outcome)}`);
    ids.push((JSON.parse(outcome.body) as { id: string }).id);
  }
  return ids;
}

/** Deletes the webhooks of a round, so that they get no events of the next one. */
async function closeWebhooks(stack: SoakStack, ids: readonly string[]): Promise<void> {
  using api = createClient(stack.apiUrl, 1);
  for (const id of ids) {
    const gone = await until(performance.now() + deadlineMs, async () => {
      const outcome = await api.send({
        method: 'DELETE',
        path: `/webhook/${id}`,
        headers: { 'x-api-key': stack.apiKey },
      });
      return (outcome.kind === 'answer' && [200, 404].includes(outcome.status)) || undefined;
    });
    if (gone === undefined) throw new Error('a webhook could not be deleted');
  }
}

/** Tries again after every error, since a component is down; undefined: the deadline passed. */
async function until<T>(deadline: number, attempt: () => Promise<T | undefined>): Promise<T | undefined> {
  while (performance.now() < deadline) {
    const found = await attempt().catch(() => undefined);
    if (found !== undefined) return found;
    await sleep(pollMs);
  }
  return undefined;
}
