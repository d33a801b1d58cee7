import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { listNoticeTargets, requeueOverdueNotices } from '#db/accounts/notices.ts';
import { listDeletionTargets } from '#db/deletions/deletions.ts';
import { listCloakedLinks } from '#db/frames/frames.ts';
import { listDomainTargets, requeueOverdueDomains } from '#db/domains/checks.ts';
import { listImportTargets } from '#db/imports/imports.ts';
import { listInvitationTargets, requeueOverdueInvitations } from '#db/organizations/invitations.ts';
import { listResetTargets, requeueOverdueResets } from '#db/accounts/password-resets.ts';
import { listReportTargets, requeueOpenReports } from '#db/reports/reports.ts';
import type { OutboxKind } from '#db/outbox.ts';
import { requeueSilent } from '#db/outbox-rows.ts';
import { listThreatMailTargets, requeueOverdueThreatMail } from '#db/threats/threat-mail.ts';
import { requeueOverdueWebhooks, takeWakeTargets } from '#db/webhooks/fan-out.ts';
import { startOfDeletion } from '#workflows/deletions.ts';
import { startOfDomain } from '#workflows/domain.ts';
import { startOfFrameCheck } from '#workflows/frame-check.ts';
import { startOfImport } from '#workflows/imports.ts';
import { startOfInvitation } from '#workflows/invitation.ts';
import { startOfLinkReport } from '#workflows/link-report.ts';
import { startOfAccountNotice, startOfPasswordReset, startOfThreatMail } from '#workflows/mail.ts';
import { startOfWebhook } from '#workflows/webhook.ts';
import { createDispatcher, type RelayContext } from './dispatcher.ts';
import type { RelayPart } from './loop.ts';
import { weigh } from './weights.ts';

/** A kind of work whose every subject has a workflow of its own. */
interface WorkflowKind {
  /** The starts of subjects, by id. A subject that is left out has nothing left to do. */
  takeStarts: (em: EntityManager, ids: readonly string[]) => Promise<ReadonlyMap<string, WorkflowStart>>;
  /** Puts overdue subjects into the outbox again. @returns how many. */
  requeue: (em: EntityManager) => Promise<number>;
  /** Whether a `requeue` that found `overdueAtOnce` subjects is repeated at once: it finds others then. */
  repeatsRequeue?: boolean;
  reconcileEveryMs?: number;
}

const overdueAtOnce = 500;

/** What the relay does with each kind of the outbox but scans that want an answer, which share workflows (`scans.ts`). */
const kinds = {
  webhook: {
    takeStarts: async (em, ids) => startsOf(await takeWakeTargets(em, ids), startOfWebhook),
    // A pump looks every ten seconds by itself.
    requeue: (em) => requeueOverdueWebhooks(em, { overdueMs: 10_000, unseenMs: 30_000, limit: 200 }),
  },
  domain: {
    takeStarts: async (em, ids) => startsOf(await listDomainTargets(em, ids), startOfDomain),
    // At most 300 are under way: every 15 s that is 20 a second, what a small machine can check beside all else. A check takes
    // seconds; one that is still overdue after a minute has its next turn after all others.
    requeue: (em) => requeueOverdueDomains(em, { overdueMs: 15_000, againMs: 60_000, limit: 300 }),
  },
  purge: {
    takeStarts: async (em, ids) => startsOf(await listDeletionTargets(em, ids), startOfDeletion),
    requeue: (em) => requeueSilent(em, 'purge', overdueAtOnce),
    repeatsRequeue: true,
  },
  import: {
    takeStarts: async (em, ids) => startsOf(await listImportTargets(em, ids), startOfImport),
    requeue: (em) => requeueSilent(em, 'import', overdueAtOnce),
    repeatsRequeue: true,
  },
  'threat-mail': {
    takeStarts: async (em, ids) => startsOf(await listThreatMailTargets(em, ids), startOfThreatMail),
    requeue: (em) => requeueOverdueThreatMail(em, overdueAtOnce),
    // Its workflow may wait for a mail server for hours; starting it again does nothing.
    reconcileEveryMs: 60_000,
  },
  'link-report': {
    takeStarts: async (em, ids) => startsOf(await listReportTargets(em, ids), startOfLinkReport),
    requeue: (em) => requeueOpenReports(em, overdueAtOnce),
    repeatsRequeue: true,
    // The edge may not enqueue (ADR 19): new reports are found here.
    reconcileEveryMs: 5_000,
  },
  'frame-check': {
    takeStarts: async (em, ids) => startsOf(await listCloakedLinks(em, ids), startOfFrameCheck),
    // An answer that Temporal has lost is asked for again with the link's next change: until then the link is cloaked.
    requeue: async () => 0,
  },
  'password-reset': {
    takeStarts: async (em, ids) => startsOf(await listResetTargets(em, ids), startOfPasswordReset),
    requeue: (em) => requeueOverdueResets(em, overdueAtOnce),
    // Its workflow may wait for a mail server for an hour; starting it again does nothing.
    reconcileEveryMs: 60_000,
  },
  invitation: {
    takeStarts: async (em, ids) => startsOf(await listInvitationTargets(em, ids), startOfInvitation),
    requeue: (em) => requeueOverdueInvitations(em, overdueAtOnce),
    // Its workflow may wait for a mail server for a day; a look more does nothing.
    reconcileEveryMs: 60_000,
  },
  'account-notice': {
    takeStarts: async (em, ids) => startsOf(await listNoticeTargets(em, ids), startOfAccountNotice),
    requeue: (em) => requeueOverdueNotices(em, overdueAtOnce),
    // Its workflow may wait for a mail server for a day; starting it again does nothing.
    reconcileEveryMs: 60_000,
  },
} satisfies Partial<Record<OutboxKind, WorkflowKind>>;

/** Kinds of work whose every subject has a workflow of its own. */
export const workflowKinds = Object.keys(kinds) as (keyof typeof kinds)[];

/** Dispatches one of `kinds`: a workflow for each subject, however often the subject was enqueued. */
export function createKindDispatcher(kind: keyof typeof kinds, context: RelayContext): RelayPart {
  const { takeStarts, requeue, repeatsRequeue = false, reconcileEveryMs }: WorkflowKind = kinds[kind];
  const { counts, startWorkflow } = context;
  return createDispatcher(
    {
      kind,
      async plan(rows) {
        const starts = await takeStarts(
          context.em.fork(),
          rows.map(({ subjectId }) => subjectId),
        );
        await weigh(context.em.fork(), [...starts.values()]);
        return rows.flatMap((row) => {
          const start = starts.get(row.subjectId);
          if (start === undefined) return [];
          const run = async (): Promise<void> => {
            await startWorkflow(start);
            counts.wakes += 1;
          };
          return [{ rows: [row], run }];
        });
      },
      async requeue() {
        const requeued = await requeue(context.em.fork());
        return { requeued, more: repeatsRequeue && requeued === overdueAtOnce };
      },
      ...(reconcileEveryMs === undefined ? {} : { reconcileEveryMs }),
    },
    context,
  );
}

function startsOf<Target extends { id: string }>(
  targets: readonly Target[],
  startOf: (target: Target) => WorkflowStart,
): ReadonlyMap<string, WorkflowStart> {
  return new Map(targets.map((target) => [target.id, startOf(target)]));
}
