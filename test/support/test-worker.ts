import { Client } from '@temporalio/client';
import { pino } from 'pino';
import { createDeleteActivities, type DeleteDependencies } from '#activities/deletions/deletions.ts';
import { createDomainActivities, type DomainDependencies } from '#activities/domains/domains.ts';
import { createFileActivities, type FileDependencies } from '#activities/files/files.ts';
import { createClickActivities, type ClickDependencies } from '#activities/clicks/clicks.ts';
import { createHousekeepingActivities, type HousekeepingDependencies } from '#activities/housekeeping/housekeeping.ts';
import { createImportActivities, type ImportDependencies } from '#activities/imports/imports.ts';
import { createThreatListActivities, type ThreatListDependencies } from '#activities/threats/lists.ts';
import { createExpiryActivities } from '#activities/links/expiries.ts';
import { createFrameActivities } from '#activities/links/frames.ts';
import { createReportActivities } from '#activities/links/reports.ts';
import { createAccountNoticeActivities } from '#activities/accounts/notices.ts';
import { createInvitationActivities } from '#activities/organizations/invitations.ts';
import { createPasswordResetActivities } from '#activities/accounts/password-resets.ts';
import { createRescanActivities, type RescanDependencies } from '#activities/threats/rescan.ts';
import { createScanActivities, type ScanDependencies } from '#activities/threats/scan.ts';
import { createVisitorKeyActivities, type VisitorKeyDependencies } from '#activities/clicks/visitor-keys.ts';
import { createWebhookActivities, type WebhookDependencies } from '#activities/webhooks/webhooks.ts';
import { connectWorker, installRuntime, keepWorking } from '#adapters/temporal/worker.ts';
import type { ThreatScanner } from '#adapters/threat-scanners/threat-scanner.ts';
import { registerSearchAttributes } from '#adapters/temporal/client.ts';
import { createSite } from '#core/links/site.ts';
import { sideQueuesOf } from '#core/temporal/task-queues.ts';
import type { Database } from '#db/connection/database.ts';
import { workflowBundlePath } from '#scripts/bundle-workflows.ts';
import { emOf } from './entity-managers.ts';

/** A log that keeps still. */
export const silent = pino({ level: 'silent' });

/** A Temporal worker inside the test's process. */
export interface TestWorker extends AsyncDisposable {
  client: Client;
  taskQueue: string;
}

/** Workflows of a test worker; fields left out of `scan` are as in production. */
export interface TestWorkerOptions {
  temporal: { address: string; namespace: string; taskQueue: string };
  sql: Database;
  scanner: ThreatScanner;
  scan?: Pick<ScanDependencies, 'concurrency' | 'firstGapMs' | 'horizonMs'>;
  /** Set where its workflows include rescans and their mails. */
  rescan?: Omit<RescanDependencies, 'em' | 'scanner' | 'site' | 'log' | 'meter'>;
  /** Where its workflows include updates of threat lists. */
  threatLists?: Omit<ThreatListDependencies, 'log'>;
  /** Where its workflows include those of files. */
  files?: FileDependencies;
  /** Where its workflows include the removal of clicks. */
  clicks?: ClickDependencies;
  /** Where its workflows include housekeeping. */
  housekeeping?: HousekeepingDependencies;
  /** Where its workflows include that of visitors' keys. */
  visitorKeys?: VisitorKeyDependencies;
  /** Where its workflows include deletions. */
  deletes?: DeleteDependencies;
  /** Where its workflows include checks of frames. */
  frames?: Pick<Parameters<typeof createFrameActivities>[0], 'http'>;
  /** Where its workflows include mails for new passwords. */
  passwordResets?: Omit<Parameters<typeof createPasswordResetActivities>[0], 'em'>;
  /** Where its workflows include invitations. */
  invitations?: Omit<Parameters<typeof createInvitationActivities>[0], 'em'>;
  /** Where its workflows include notices to people about their account. */
  accountNotices?: Omit<Parameters<typeof createAccountNoticeActivities>[0], 'em'>;
  /** Where its workflows include imports. */
  imports?: ImportDependencies;
  /** Where its workflows include those of domains. */
  domains?: Omit<DomainDependencies, 'log'>;
  /** Where its workflows include those of webhooks. */
  webhooks?: Omit<WebhookDependencies, 'draining' | 'log'> & Partial<Pick<WebhookDependencies, 'log'>>;
}

/** Where links of the tests are served. */
export const site = createSite({ scheme: 'https', platformDomain: 'go.example' });

let installed = false;

/** Starts a worker on the test's task queue; ready when it takes tasks. */
export async function startTestWorker({
  temporal,
  sql,
  scanner,
  scan,
  rescan,
  threatLists,
  files,
  clicks,
  housekeeping,
  visitorKeys,
  deletes,
  imports,
  frames,
  passwordResets,
  invitations,
  accountNotices,
  domains,
  webhooks,
}: TestWorkerOptions): Promise<TestWorker> {
  if (!installed) installRuntime(silent);
  installed = true;
  const { address, namespace, taskQueue } = temporal;
  const stopping = new AbortController();
  const connection = await connectWorker({ address }, stopping.signal, silent);
  if (connection === undefined) throw new Error('unreachable');
  const client = new Client({ connection, namespace });
  await registerSearchAttributes(client, namespace, silent);
  const running = Promise.withResolvers<void>();
  const working = keepWorking({
    connection,
    namespace,
    taskQueue,
    sideQueues: sideQueuesOf(taskQueue),
    activities: {
      ...createReportActivities({ em: emOf(sql) }),
      ...(frames === undefined ? {} : createFrameActivities({ em: emOf(sql), site, ...frames })),
      ...(passwordResets === undefined ? {} : createPasswordResetActivities({ em: emOf(sql), ...passwordResets })),
      ...(invitations === undefined ? {} : createInvitationActivities({ em: emOf(sql), ...invitations })),
      ...(accountNotices === undefined ? {} : createAccountNoticeActivities({ em: emOf(sql), ...accountNotices })),
      ...createScanActivities({ db: sql, em: emOf(sql), scanner, site, log: silent, ...scan }),
      ...(rescan === undefined ? {} : createRescanActivities({ em: emOf(sql), scanner, site, log: silent, ...rescan })),
      ...(threatLists === undefined ? {} : createThreatListActivities({ ...threatLists, log: silent })),
      ...(files === undefined ? {} : createFileActivities(files)),
      ...(clicks === undefined ? {} : createClickActivities(clicks)),
      ...(housekeeping === undefined ? {} : createHousekeepingActivities(housekeeping)),
      ...(housekeeping === undefined ? {} : createExpiryActivities({ em: emOf(sql), site, linksAtOnce: 2 })),
      ...(visitorKeys === undefined ? {} : createVisitorKeyActivities(visitorKeys)),
      ...(deletes === undefined ? {} : createDeleteActivities(deletes)),
      ...(imports === undefined ? {} : createImportActivities(imports)),
      ...(domains === undefined ? {} : createDomainActivities({ ...domains, log: silent })),
      ...(webhooks === undefined
        ? {}
        : createWebhookActivities({ log: silent, ...webhooks, draining: stopping.signal })),
    },
    workflows: { workflowBundle: { codePath: workflowBundlePath } },
    signal: stopping.signal,
    log: silent,
    onRunning: () => running.resolve(),
  });
  await running.promise;
  return {
    client,
    taskQueue,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      if (await working) await connection.close();
    },
  };
}
