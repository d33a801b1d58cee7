import { createDeleteActivities } from '#activities/deletions/deletions.ts';
import { createImportActivities } from '#activities/imports/imports.ts';
import { createRescanActivities } from '#activities/threats/rescan.ts';
import { createWebRisk } from '#adapters/threat-scanners/web-risk.ts';
import { reportReady } from '#adapters/machine/process.ts';
import { createFolderStorage } from '#adapters/storage/folder.ts';
import { createStartWorkflow } from '#adapters/temporal/start.ts';
import { createDatabase } from '#db/connection/database.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import { createKindDispatcher } from '#relay/kinds.ts';
import { findNoLocalAnswers } from './local-answers.ts';
import { reachable, relayContext } from './relay.ts';
import { silent, site, startWorkerOf } from './test-worker.ts';

/**
 * A worker of deletions, imports and rescans in a process of its own, which tests kill. It differs from `worker.ts` in times and sizes
 * alone: nothing waits a minute for clicks under way, and a rescan takes many turns.
 */
const {
  DATABASE_URL: url = '',
  WAYMARK_DATA_DIR: dataDir = '',
  WEB_RISK_ENDPOINT: endpoint = '',
  TEMPORAL_ADDRESS: address = '',
  TEMPORAL_NAMESPACE: namespace = '',
  TEMPORAL_TASK_QUEUE: taskQueue = '',
  IMPORTS_AT_FULL_SPEED: fullSpeed = 'false',
} = process.env;
const db = createDatabase({ url });
const em = createEntityManager(db);
const scanner = createWebRisk({ endpoint, cleanForMs: 86_400_000 });
const mailer = { send: () => Promise.reject(new Error('nobody is written to')), close: () => undefined };
const activities = {
  ...createDeleteActivities({ em, storage: createFolderStorage(dataDir), settleMs: 0 }),
  // It rests between batches as it does beside others, so that it is still under way when it is killed.
  ...createImportActivities({
    em,
    site,
    findLocalAnswers: findNoLocalAnswers,
    isBesideOthers: () => Promise.resolve(fullSpeed !== 'true'),
  }),
  ...createRescanActivities({ em, scanner, site, mailer, log: silent, perSecond: 200, pageSize: 20, turnMs: 500 }),
};
const worker = await startWorkerOf({ address, namespace, taskQueue }, () => activities);
const context = relayContext({
  db,
  startWorkflow: createStartWorkflow(worker),
  temporal: { ...reachable, isAway: () => true },
  onError: () => {},
  pollEveryMs: 100,
  reconcileEveryMs: 15_000,
});
createKindDispatcher('purge', context);
createKindDispatcher('import', context);
reportReady();
