import { setTimeout as sleep } from 'node:timers/promises';
import { type EventType, eventTypes } from '#core/webhooks/events.ts';
import { auditClicks, auditEvents, auditLinks, type ClickAudit, type EventAudit, type LinkAudit } from './audit.ts';
import { createClient } from './client.ts';
import { createLedger, type KnownCreate, type KnownLink, type Ledger, type LinkKind } from './ledger.ts';
import { between, createRandom, pick, type Random } from './random.ts';
import type { KillReceiver, Received } from './receiver.ts';
import type { Component, KillStack } from './stack.ts';

/** How a round went. */
export interface DrillResult {
  /** What was killed, at the same moment. */
  killed: readonly Component[];
  seed: number;
  /** 302s that clients received whole, and visits that broke on the way. */
  seen: number;
  unsure: number;
  clicks: ClickAudit;
  /** Creates answered 201 at the first or a later attempt. */
  made: number;
  links: LinkAudit;
  events: EventAudit;
  /** Answers that no fault excuses, as `API 500 × 3`. */
  odd: string[];
  /**
   * Seconds from the kill until every earlier request is done, and a link created after it is clicked, counted and scanned;
   * null: not before the deadline.
   */
  recoverySeconds: number | null;
}

/** The number of webhooks; each is sent every event. */
export const webhooksPerRound = 3;

// The drill causes no event of these types, which need DNS records: test/activities/domains does.
const uncaused: readonly EventType[] = ['domain.verified', 'domain.lost'];
/** The number of types of which a round has events. */
export const causedTypes = eventTypes.length - uncaused.length;

const firstLinks = 8;
const [visitors, editors, creators] = [8, 2, 3];
const connections = visitors + editors + creators + 3;
// Of ten links one expires, one is capped, one is flagged, one is deleted, and six are changed and visited.
const kinds: readonly LinkKind[] = [...Array<'plain'>(6).fill('plain'), 'capped', 'flagged', 'doomed', 'expiring'];
const mostVisits = 1_000;
const msPerVisit = 10;
const afterFailureMs = 200;
// Within a minute (12.5).
const recoveryDeadlineMs = 60_000;
const drainDeadlineMs = 60_000;
const afterRecoveryMs = 300;
// A run of housekeeping takes about as long.
const housekeepingMs = 300;
const housekeepingEveryMs = 5_000;
const pollMs = 50;
const createPollMs = 200;

/** Whether nothing was lost, made twice, left undone or answered wrongly. */
export function isClean({ clicks, links, events, odd, recoverySeconds }: DrillResult): boolean {
  const { doubled, undelivered, altered, unwritten, types } = events;
  const faults = [clicks.lost, clicks.twice, links.lost, links.twice, links.verdictsMissing, odd.length];
  const all = [...faults, doubled, undelivered, altered, Object.keys(unwritten).length];
  return all.every((count) => count === 0) && types === causedTypes && recoverySeconds !== null;
}

/**
 * One round: puts the stack under load, kills components, waits for their recovery, and compares the database and the requests to
 * webhooks with the clients' answers.
 * @param killed nothing: the load alone.
 * @param patience how many times as long as a quiet machine another may take.
 * @param leastMs how long the load lasts at least.
 */
export async function drill(
  stack: KillStack,
  receiver: KillReceiver,
  killed: readonly Component[],
  { seed, patience = 1, leastMs = 0 }: { seed: number; patience?: number; leastMs?: number },
): Promise<DrillResult> {
  const random = createRandom(seed);
  using ledger = createLedger(stack, connections);
  const addresses = Array.from({ length: webhooksPerRound }, (_, index) => receiver.open(`/${seed}/${index}`));
  const webhooks = await openWebhooks(
    stack,
    addresses.map(({ url }) => url),
  );
  const gone = await openWebhooks(stack, [receiver.goneUrl(`/${seed}`)]);
  await Promise.all(Array.from({ length: firstLinks }, (_, index) => ledger.create(index === 0 ? 'flagged' : 'plain')));
  const load = startLoad(ledger, random, mostVisits + leastMs / msPerVisit);
  const startedAt = performance.now();
  await sleep(between(random, 500, 1_500));

  const before = { links: ledger.links.map((link) => ({ ...link })), creates: [...ledger.creates] };
  // A run of housekeeping is killed, too. Temporal may be the component that dies.
  const housekeeping = stack.runHousekeeping().catch(() => {});
  await sleep(between(random, 0, housekeepingMs));
  const killedAt = performance.now();
  for (const component of killed) stack.kill(component);
  const recovered = await recovery(stack, ledger, before, killedAt + patience * recoveryDeadlineMs);
  const recoverySeconds = recovered ? (performance.now() - killedAt) / 1_000 : null;
  await sleep(Math.max(afterRecoveryMs, startedAt + leastMs - performance.now()));
  // Each type of event has to be caused.
  await until(performance.now() + patience * drainDeadlineMs, async () => isVaried(ledger) || undefined);
  await load.stop();
  await housekeeping;
  const audits = await drain(stack, ledger, { gone, received: addresses.map(({ received }) => received) }, patience);
  await closeWebhooks(stack, [...webhooks, ...gone]);
  for (const { close } of addresses) close();
  return {
    killed,
    seed,
    seen: sum(ledger.links, (link) => link.seen),
    unsure: sum(ledger.links, (link) => link.unsure),
    ...audits,
    made: ledger.links.length,
    odd: [...ledger.odd].map(([answer, count]) => `${answer} × ${count}`),
    recoverySeconds,
  };
}

/**
 * Starts visitors, editors and creators on a ledger, each at a pace that a small machine keeps up with.
 * @param most of all visits, after which no more links are made: where a recovery takes long, their scans and deliveries would take
 *   longer still.
 */
function startLoad(ledger: Ledger, random: Random, most: number): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const repeat = async (leastMs: number, mostMs: number, work: () => Promise<boolean>): Promise<void> => {
    while (!signal.aborted) {
      const pauseMs = (await work()) ? between(random, leastMs, mostMs) : afterFailureMs;
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  };
  const visited = (): KnownLink => pick(random, [...ledger.open('plain'), ...ledger.open('flagged')]);
  let visits = 0;
  const visit = async (): Promise<boolean> => (visits += 1) < most && (await ledger.visit(visited()));
  const edit = async (): Promise<boolean> => visits < most && (await ledger.edit(pick(random, ledger.open('plain'))));
  const isLoaded = (): boolean => visits < most || !isVaried(ledger);
  const create = async (): Promise<boolean> =>
    isLoaded() && (await ledger.create(pick(random, kinds)))?.link !== undefined;
  const capped = async (): Promise<boolean> => {
    const [link] = ledger.open('capped');
    return link !== undefined && (await ledger.visit(link));
  };
  const working = [
    ...Array.from({ length: visitors }, () => repeat(20, 60, visit)),
    ...Array.from({ length: editors }, () => repeat(20, 60, edit)),
    ...Array.from({ length: creators }, () => repeat(60, 140, create)),
    repeat(20, 60, capped),
    repeat(100, 300, () => ledger.remove()),
    repeat(300, 900, async () => isLoaded() && (await ledger.importRows())),
  ];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(working);
    },
  };
}

/** Whether clients were answered changes of every type. */
function isVaried({ links, imports }: Ledger): boolean {
  const once = new Set(links.flatMap((link) => [...link.once]));
  const others = [imports.length > 0, links.some(({ updates }) => updates > 0), links.some(({ seen }) => seen > 0)];
  return once.size === 5 && others.every(Boolean);
}

interface Before {
  links: readonly KnownLink[];
  creates: readonly KnownCreate[];
}

/** Waits until every request before the fault is done, and a new link is created, scanned, clicked and counted. */
async function recovery(stack: KillStack, ledger: Ledger, before: Before, deadline: number): Promise<boolean> {
  const createProbe = async (): Promise<KnownCreate | undefined> => {
    const create = await ledger.create('plain');
    return create?.link === undefined ? undefined : create;
  };
  const probe = await until(deadline, createProbe, createPollMs);
  const link = probe?.link;
  if (probe === undefined || link === undefined) return false;
  if ((await until(deadline, async () => (await ledger.visit(link)) || undefined)) === undefined) return false;
  const isDone = await until(deadline, async () => {
    // Broken requests are repeated later.
    const answered = before.creates.filter((create) => create.link !== undefined);
    const { verdictsMissing } = await auditLinks(stack.db, [...answered, probe]);
    if (verdictsMissing > 0) return undefined;
    const clicks = await auditClicks(stack.db, [...before.links, { ...link, seen: 1 }]);
    return clicks.lost === 0 || undefined;
  });
  return isDone !== undefined;
}

/** Repeats unanswered creates, waits until nothing is under way, then compares. */
async function drain(
  stack: KillStack,
  ledger: Ledger,
  { gone, received }: { gone: readonly string[]; received: readonly Received[] },
  patience: number,
): Promise<{ clicks: ClickAudit; links: LinkAudit; events: EventAudit }> {
  const drainMs = patience * drainDeadlineMs;
  await until(performance.now() + drainMs, async () => {
    const open = ledger.creates.filter((create) => create.link === undefined);
    if (open.length === 0) return true;
    // A call that died holds its idempotency key for a minute; the drill does not wait for that.
    await stack.db.query('update idempotency_keys set claimed_until = now() where status is null');
    await Promise.all(open.map((create) => ledger.createAgain(create)));
    return undefined;
  });
  const look = async () => ({
    clicks: await auditClicks(stack.db, ledger.links),
    links: await auditLinks(stack.db, ledger.creates),
    events: await auditEvents(stack.db, ledger, gone, received),
  });
  let reportedAt = Number.NEGATIVE_INFINITY;
  await until(performance.now() + drainMs, async () => {
    const { clicks, links, events } = await look();
    // Else expiries are found every ten minutes.
    if (events.unwritten['link.expired'] !== undefined && performance.now() - reportedAt > housekeepingEveryMs) {
      reportedAt = performance.now();
      await stack.runHousekeeping();
    }
    if (clicks.lost + links.verdictsMissing + events.undelivered + Object.keys(events.unwritten).length > 0)
      return undefined;
    return (stack.journals().length === 1 && (await stack.shippingLagMs()) === 0) || undefined;
  });
  return look();
}

async function openWebhooks(stack: KillStack, urls: readonly string[]): Promise<string[]> {
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
async function closeWebhooks(stack: KillStack, ids: readonly string[]): Promise<void> {
  using api = createClient(stack.apiUrl, 1);
  const headers = { 'x-api-key': stack.apiKey };
  for (const id of ids) {
    const outcome = await api.send({ method: 'DELETE', path: `/webhook/${id}`, headers });
    const isGone = outcome.kind === 'answer' && [200, 404].includes(outcome.status);
    if (!isGone) throw new Error(`a webhook could not be deleted: ${JSON.stringify(outcome)}`);
  }
}

/** Repeats a call until it is answered; undefined past the deadline. Failures that the fault causes are repeated too. */
async function until<T>(
  deadline: number,
  attempt: () => Promise<T | undefined>,
  pauseMs = pollMs,
): Promise<T | undefined> {
  while (performance.now() < deadline) {
    const found = await attempt().catch(() => undefined);
    if (found !== undefined) return found;
    await sleep(pauseMs);
  }
  return undefined;
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
