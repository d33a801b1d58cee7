import type { DeliverySummary } from '#db/webhooks/deliveries/deliveries.ts';
import type { listDeletionsOf, listEndingLinksOf, listRecoveriesOf } from '#db/organizations/processes.ts';
import { domainSchedule, lostAfterChecks } from '#core/domains/schedule.ts';
import { webhookLabel } from '#core/webhooks/label.ts';
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

const uncounted = { done: null, total: null };

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
  const scan: Running = {
    kind: 'scan',
    subject,
    state,
    done: verdicts.filter((types) => types !== null).length,
    total: verdicts.length,
    startedAt: null,
    workflowId: null,
  };
  const cap: Running[] =
    link.maxClicks === null
      ? []
      : [
          {
            kind: 'cap',
            subject,
            state: link.currentClicks < link.maxClicks ? 'running' : 'reached',
            done: Math.min(link.currentClicks, link.maxClicks),
            total: link.maxClicks,
            startedAt: null,
            workflowId: null,
          },
        ];
  const linkEnds = link.expiresAt !== null && link.expiresAt > now ? link.expiresAt : null;
  return { now: [scan, ...cap], next: coming(subject, null, { linkEnds }) };
}

export function endingLinkSteps({ id, slug, expiresAt }: Row<typeof listEndingLinksOf>): Steps {
  return { now: [], next: coming({ type: 'shortLink', id, name: slug }, null, { linkEnds: expiresAt }) };
}

export function domainSteps(domain: Domain): Steps {
  const { id, domain: name, isVerified, failedChecks, nextCheckAt, createdAt } = domain;
  const subject: Subject = { type: 'domain', id, name };
  const workflowId = `domain/${id}`;
  const state = stateOfDomain(domain);
  const left = lostAfterChecks - failedChecks - 1;
  const domainLost =
    isVerified && failedChecks > 0 && nextCheckAt
      ? new Date(nextCheckAt.getTime() + left * domainSchedule.settledGapMs)
      : null;
  return {
    now: [{ kind: 'domainCheck', subject, state, ...uncounted, startedAt: createdAt.toISOString(), workflowId }],
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
  const workflowId = `webhook/${id}`;
  const isSending = isActive && !isPaused;
  const startedAt = failingSince?.toISOString() ?? null;
  const state = stateOfWebhook(webhook, deliveries?.waiting ?? 0);
  return {
    now: [{ kind: 'delivery', subject, state, done: null, total: deliveries?.waiting ?? null, startedAt, workflowId }],
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
  return {
    now: [
      {
        kind: 'recovery',
        subject: webhookSubject(recovery),
        state: 'running',
        done: Math.min(total, seconds(since, afterAt)),
        total,
        startedAt: createdAt.toISOString(),
        workflowId: `webhook/${id}`,
      },
    ],
    next: [],
  };
}

export function importSteps(row: Import): Steps {
  const { id, state, total, imported, undoLeft, createdAt } = row;
  const subject: Subject = { type: 'import', id, name: null };
  const startedAt = createdAt.toISOString();
  if (state === 'undoing') {
    const left = undoLeft ?? 0;
    const counts = { done: Math.max(0, imported - left), total: imported };
    return {
      now: [{ kind: 'importUndo', subject, state, ...counts, startedAt, workflowId: `import-undo/${id}` }],
      next: [],
    };
  }
  if (state !== 'pending' && state !== 'running') return { now: [], next: [] };
  const counts = { done: row.countDone(), total };
  return { now: [{ kind: 'import', subject, state, ...counts, startedAt, workflowId: `import/${id}` }], next: [] };
}

const deletedTypes = { links: 'shortLink', domain: 'domain', folder: 'folder', organization: 'organization' } as const;
const deletionPrefixes = {
  links: 'delete-link',
  domain: 'delete-domain',
  folder: 'delete-folder',
  organization: 'delete-organization',
} as const;

export function deletionSteps({ id, kind, links, linksRemoved, name, deletedAt }: Row<typeof listDeletionsOf>): Steps {
  const subject: Subject = { type: deletedTypes[kind], id, name };
  const counts = { done: Math.min(links, linksRemoved), total: links };
  const startedAt = deletedAt.toISOString();
  return {
    now: [
      {
        kind: 'deletion',
        subject,
        state: 'running',
        ...counts,
        startedAt,
        workflowId: `${deletionPrefixes[kind]}/${id}`,
      },
    ],
    next: [],
  };
}
