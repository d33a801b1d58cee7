import type { DeliverySummary } from '#db/webhooks/deliveries/deliveries.ts';
import type { listDeletionsOf, listEndingLinksOf, listRecoveriesOf } from '#db/organizations/processes.ts';
import { domainSchedule, lostAfterChecks } from '#core/domains/schedule.ts';
import { webhookLabel } from '#core/webhooks/label.ts';
import { deletionWorkflowId, workflowIdOf } from '#core/temporal/workflow-ids.ts';
import type { Domain } from '#db/entities/domains.ts';
import type { Import } from '#db/entities/imports.ts';
import type { ApiKey } from '#db/entities/accounts/people.ts';
import type { Webhook } from '#db/entities/webhooks.ts';
import type { LinkView } from '#db/links/view.ts';
import { stateOfDomain } from '#api/domain/presenter.ts';
import { stateOfWebhook } from '#api/webhook/presenter.ts';
import type { Coming, Running, Subject } from './schema.ts';

type Row<List extends (...args: never[]) => Promise<readonly unknown[]>> = Awaited<ReturnType<List>>[number];

/** What runs for a subject, and what comes next. */
export interface Steps {
  now: Running[];
  next: Coming[];
}

/** Steps of several subjects as those of one, what comes first at the front. */
export function joinSteps(steps: readonly Steps[]): Steps {
  return {
    now: steps.flatMap(({ now }) => now),
    next: steps.flatMap(({ next }) => next).toSorted((one, other) => (one.at < other.at ? -1 : 1)),
  };
}

/** What runs now. @param facts that are known of it. */
const running = (
  kind: Running['kind'],
  subject: Subject,
  state: string,
  facts: Partial<Pick<Running, 'done' | 'total' | 'startedAt' | 'workflowId'>>,
): Running => ({ kind, subject, state, done: null, total: null, startedAt: null, workflowId: null, ...facts });

/** Moments that are still to come. */
function coming(
  subject: Subject,
  workflowId: string | null,
  moments: Partial<Record<Coming['kind'], Date | null | undefined>>,
): Coming[] {
  return Object.entries(moments).flatMap(([kind, at]) =>
    at ? { kind: kind as Coming['kind'], subject, at: at.toISOString(), workflowId } : [],
  );
}

export function linkSteps(link: LinkView, now: Date): Steps {
  const subject: Subject = { type: 'shortLink', id: link.id, name: link.slug };
  const verdicts = [link.destination, ...link.rules.map((rule) => rule.destination)].map((one) => one.threatTypes);
  const state = verdicts.some((types) => (types ?? []).length > 0)
    ? 'flagged'
    : verdicts.includes(null)
      ? 'waiting'
      : 'clean';
  const scanned = verdicts.filter((types) => types !== null).length;
  const scan = running('scan', subject, state, { done: scanned, total: verdicts.length });
  const { maxClicks: total, currentClicks } = link;
  const capState = total !== null && currentClicks >= total ? 'reached' : 'running';
  const cap =
    total === null ? [] : [running('cap', subject, capState, { done: Math.min(currentClicks, total), total })];
  const linkEnds = link.expiresAt !== null && link.expiresAt > now ? link.expiresAt : null;
  return { now: [scan, ...cap], next: coming(subject, null, { linkEnds }) };
}

export function endingLinkSteps({ id, slug, expiresAt }: Row<typeof listEndingLinksOf>): Steps {
  return { now: [], next: coming({ type: 'shortLink', id, name: slug }, null, { linkEnds: expiresAt }) };
}

export function domainSteps(domain: Domain): Steps {
  const { id, domain: name, isVerified, failedChecks, nextCheckAt, createdAt } = domain;
  const subject: Subject = { type: 'domain', id, name };
  const workflowId = workflowIdOf('domain', id);
  const state = stateOfDomain(domain);
  const left = lostAfterChecks - failedChecks - 1;
  const domainLost =
    isVerified && failedChecks > 0 && nextCheckAt
      ? new Date(nextCheckAt.getTime() + left * domainSchedule.settledGapMs)
      : null;
  return {
    now: [running('domainCheck', subject, state, { startedAt: createdAt.toISOString(), workflowId })],
    next: coming(subject, workflowId, { domainCheck: nextCheckAt, domainLost }),
  };
}

export const webhookSubject = (webhook: Pick<Webhook, 'id' | 'name' | 'url'>): Subject => ({
  type: 'webhook',
  id: webhook.id,
  name: webhookLabel(webhook),
});

/** @param deliveries its numbers; undefined: they are not read, and the next attempt is not told. */
export function webhookSteps(webhook: Webhook, deliveries: DeliverySummary | undefined, now: Date): Steps {
  const { id, isActive, isPaused, failingSince, nextProbeAt, previousSecretUntil } = webhook;
  const subject = webhookSubject(webhook);
  const workflowId = workflowIdOf('webhook', id);
  const isSending = isActive && !isPaused;
  const startedAt = failingSince?.toISOString() ?? null;
  const state = stateOfWebhook(webhook, deliveries?.waiting ?? 0);
  return {
    now: [running('delivery', subject, state, { total: deliveries?.waiting ?? null, startedAt, workflowId })],
    next: coming(subject, workflowId, {
      // Due deliveries of a failing webhook wait until its probe succeeds.
      deliveryAttempt: isSending && !failingSince ? deliveries?.nextDueAt : null,
      webhookProbe: isSending && failingSince ? nextProbeAt : null,
      secretEnds: previousSecretUntil && previousSecretUntil > now ? previousSecretUntil : null,
    }),
  };
}

export function keySteps({ id, name, expiresAt, previousKeyUntil }: ApiKey, now: Date): Steps {
  const ifComing = (moment: Date | null | undefined): Date | null => (moment && moment > now ? moment : null);
  const moments = { keyEnds: ifComing(expiresAt), secretEnds: ifComing(previousKeyUntil) };
  return { now: [], next: coming({ type: 'apiKey', id, name }, null, moments) };
}

export function recoverySteps(recovery: Row<typeof listRecoveriesOf>): Steps {
  const { id, since, until, afterAt, createdAt } = recovery;
  // Of the time that it covers, in seconds: how many events there are is not known before.
  const seconds = (from: Date, to: Date): number => Math.max(0, Math.round((to.getTime() - from.getTime()) / 1_000));
  const total = seconds(since, until);
  const done = Math.min(total, seconds(since, afterAt));
  const facts = { done, total, startedAt: createdAt.toISOString(), workflowId: workflowIdOf('webhook', id) };
  return { now: [running('recovery', webhookSubject(recovery), 'running', facts)], next: [] };
}

export function importSteps(row: Import): Steps {
  const { id, state, total, imported, undoLeft, createdAt } = row;
  const subject: Subject = { type: 'import', id, name: null };
  const startedAt = createdAt.toISOString();
  if (state === 'undoing') {
    const left = undoLeft ?? 0;
    const facts = {
      done: Math.max(0, imported - left),
      total: imported,
      startedAt,
      workflowId: workflowIdOf('import-undo', id),
    };
    return { now: [running('importUndo', subject, state, facts)], next: [] };
  }
  if (state !== 'pending' && state !== 'running') return { now: [], next: [] };
  const facts = { done: row.countDone(), total, startedAt, workflowId: workflowIdOf('import', id) };
  return { now: [running('import', subject, state, facts)], next: [] };
}

const deletedTypes = { links: 'shortLink', domain: 'domain', folder: 'folder', organization: 'organization' } as const;

export function deletionSteps({ id, kind, links, linksRemoved, name, deletedAt }: Row<typeof listDeletionsOf>): Steps {
  const subject: Subject = { type: deletedTypes[kind], id, name };
  const facts = {
    done: Math.min(links, linksRemoved),
    total: links,
    startedAt: deletedAt.toISOString(),
    workflowId: deletionWorkflowId(kind, id),
  };
  return { now: [running('deletion', subject, 'running', facts)], next: [] };
}
