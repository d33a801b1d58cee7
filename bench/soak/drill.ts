import { setTimeout as sleep } from 'node:timers/promises';
import { auditClicks, auditLinks, type ClickAudit, type LinkAudit } from './audit.ts';
import { createLedger, type KnownCreate, type KnownLink, type Ledger } from './ledger.ts';
import { creators, startLoad, visitors } from './load.ts';
import { between, createRandom } from './random.ts';
import type { Component, SoakStack } from './stack.ts';

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
  /** Answers that no fault excuses, as `API 500 × 3`. */
  odd: string[];
  /**
   * Seconds from the kill until every earlier request is done, and a link created after it is clicked, counted and scanned;
   * null: not before the deadline.
   */
  recoverySeconds: number | null;
}

const firstLinks = 8;
// Within a minute (12.5).
const recoveryDeadlineMs = 60_000;
const drainDeadlineMs = 30_000;
const afterRecoveryMs = 300;
const pollMs = 50;
const createPollMs = 200;

/** Whether nothing was lost, made twice, left undone or answered wrongly. */
export function isClean({ clicks, links, odd, recoverySeconds }: DrillResult): boolean {
  const faults = [clicks.lost, clicks.twice, links.lost, links.twice, links.verdictsMissing, odd.length];
  return faults.every((count) => count === 0) && recoverySeconds !== null;
}

/**
 * One round: puts the stack under load, kills components, waits for their recovery, and compares the database with the clients' answers.
 * @param patience how many times as long as a quiet machine another may take.
 */
export async function drill(
  stack: SoakStack,
  killed: readonly Component[],
  seed: number,
  patience = 1,
): Promise<DrillResult> {
  const random = createRandom(seed);
  using ledger = createLedger(stack, visitors + creators);
  await Promise.all(Array.from({ length: firstLinks }, (_, index) => ledger.create(index === 0)));
  const load = startLoad(ledger, random);
  await sleep(between(random, 500, 1_500));

  const before = snapshot(ledger);
  const killedAt = performance.now();
  for (const component of killed) stack.kill(component);
  const recovered = await recovery(stack, ledger, before, killedAt + patience * recoveryDeadlineMs);
  const recoverySeconds = recovered ? (performance.now() - killedAt) / 1_000 : null;
  await sleep(afterRecoveryMs);
  await load.stop();
  const drainMs = patience * drainDeadlineMs;
  await finishCreates(stack, ledger, drainMs);

  const audits = await drain(stack, ledger, drainMs);
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

interface Snapshot {
  links: KnownLink[];
  creates: KnownCreate[];
}

/** Visits so far, and requested links, answered or not. */
function snapshot({ links, creates }: Ledger): Snapshot {
  return { links: links.map((link) => ({ ...link })), creates: [...creates] };
}

/** Waits until every request before the fault is done, and a new link is created, scanned, clicked and counted. */
async function recovery(stack: SoakStack, ledger: Ledger, before: Snapshot, deadline: number): Promise<boolean> {
  const probe = await until(
    deadline,
    async () => {
      const create = await ledger.create(false);
      return create?.link === undefined ? undefined : create;
    },
    createPollMs,
  );
  const link = probe?.link;
  if (probe === undefined || link === undefined) return false;
  const isVisited = await until(deadline, async () => (await ledger.visit(link)) || undefined);
  if (isVisited === undefined) return false;
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

/** Repeats unanswered creates. A call that died holds its idempotency key for a minute; the drill does not wait for that. */
async function finishCreates(stack: SoakStack, ledger: Ledger, waitMs: number): Promise<void> {
  await until(performance.now() + waitMs, async () => {
    const open = ledger.creates.filter((create) => create.link === undefined);
    if (open.length === 0) return true;
    await stack.db.query('update idempotency_keys set claimed_until = now() where status is null');
    await Promise.all(open.map((create) => ledger.createAgain(create)));
    return undefined;
  });
}

/** Waits until every journal is shipped and every verdict is there, then compares. */
async function drain(
  stack: SoakStack,
  ledger: Ledger,
  waitMs: number,
): Promise<{ clicks: ClickAudit; links: LinkAudit }> {
  const look = async () => ({
    clicks: await auditClicks(stack.db, ledger.links),
    links: await auditLinks(stack.db, ledger.creates),
  });
  await until(performance.now() + waitMs, async () => {
    const { clicks, links } = await look();
    if (clicks.lost > 0 || links.verdictsMissing > 0 || stack.journals().length > 1) return undefined;
    return (await stack.shippingLagMs()) === 0 || undefined;
  });
  return look();
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
