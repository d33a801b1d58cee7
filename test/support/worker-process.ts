import { createWebRisk } from '#adapters/threat-scanners/web-risk.ts';
import { reportReady } from '#adapters/machine/process.ts';
import { createFolderStorage } from '#adapters/storage/folder.ts';
import { createDatabase } from '#db/connection/database.ts';
import { createDeleteStarter } from '#relay/delete-starter.ts';
import { createDeleteRelay } from '#relay/deletes.ts';
import { createImportStarter } from '#relay/import-starter.ts';
import { createImportRelay } from '#relay/imports.ts';
import { createRelayCounts } from '#relay/metrics.ts';
import { silent, site, startTestWorker } from './test-worker.ts';

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
} = process.env;
const db = createDatabase({ url });
const scanner = createWebRisk({ endpoint });
const mailer = { send: () => Promise.reject(new Error('nobody is written to')), close: () => undefined };
const { client } = await startTestWorker({
  temporal: { address, namespace, taskQueue },
  sql: db,
  scanner,
  deletes: { db, storage: createFolderStorage(dataDir), settleMs: 0 },
  imports: { db, site },
  rescan: { mailer, perSecond: 200, pageSize: 20, turnMs: 500 },
});
const part = {
  db,
  temporal: { isReachable: () => true, isAway: () => true, prepare: async () => {} },
  log: silent,
  counts: createRelayCounts(),
  onError: () => {},
  pollEveryMs: 100,
  reconcileEveryMs: 15_000,
};
createDeleteRelay({ ...part, startDelete: createDeleteStarter({ client, taskQueue }) });
createImportRelay({ ...part, startImport: createImportStarter({ client, taskQueue }) });
reportReady();
