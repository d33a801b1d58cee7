import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { createDeleteActivities, type DeleteDependencies } from '#activities/deletions/deletions.ts';
import { createStartWorkflow } from '#adapters/temporal/start.ts';
import { createFolderStorage } from '#adapters/storage/folder.ts';
import type { Storage } from '#core/files/storage.ts';
import { createDatabase, type Database, type Sql } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import type { RelayPart } from '#relay/loop.ts';
import { createKindDispatcher } from '#relay/kinds.ts';
import { createRelayCounts, type RelayCounts } from '#relay/metrics.ts';
import { eventually } from './eventually.ts';
import { relayContext } from './relay.ts';
import { createTestDatabase, patientMs, temporalForTest } from './stack.ts';
import { startWorkerOf } from './test-worker.ts';

/** Relay and worker that remove deleted subjects, in one process. */
export interface DeleteStack extends AsyncDisposable {
  db: Database;
  em: EntityManager;
  databaseUrl: string;
  storage: Storage;
  /** Where its objects are. */
  storageFolder: string;
  client: Client;
  relay: RelayPart;
  counts: RelayCounts;
  /** How many of the statements and transactions to come fail, some of them: half before and half after they took effect. */
  failures: number;
  /** Waits until nothing deleted is left to be removed. */
  done(): Promise<void>;
}

/** Starts it on a database of its own; `sizes` are the activities' own, small as they are left out. */
export async function startDeleteStack(
  sizes: Omit<DeleteDependencies, 'em' | 'storage'> = {},
  random: () => number = Math.random,
): Promise<DeleteStack> {
  await using starting = new AsyncDisposableStack();
  const { url } = starting.use(await createTestDatabase());
  const db = starting.adopt(createDatabase({ url, poolMax: 20, connectTimeoutMs: patientMs }), (pool) => pool.close());
  const storageFolder = starting.adopt(await mkdtemp(join(tmpdir(), 'waymark-deletes-')), (path) =>
    rm(path, { recursive: true, force: true }),
  );
  const storage = createFolderStorage(storageFolder);
  const stack = { failures: 0 };
  const failing = async <T>(work: () => Promise<T>): Promise<T> => {
    const fails = stack.failures > 0 && random() < 0.03;
    if (fails) stack.failures -= 1;
    const isBefore = random() < 0.5;
    if (fails && isBefore) throw new Error('killed before');
    const result = await work();
    if (fails) throw new Error('killed after');
    return result;
  };
  const failingDb = starting.adopt(createDatabase({ url, poolMax: 20, connectTimeoutMs: patientMs }), (pool) =>
    pool.close(),
  );
  // Statements of entities, of Kysely and by hand, with the beginnings and ends of transactions.
  failingDb.pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    // A statement of the pool itself brings a callback; it is in no transaction.
    const failingQuery = (...args: unknown[]): Promise<unknown> =>
      typeof args.at(-1) === 'function' ? query(...args) : failing(() => query(...args));
    Object.assign(client, { query: failingQuery });
  });
  const { query } = failingDb;
  Object.assign(failingDb, { query: (...args: Parameters<Sql['query']>) => failing(() => query(...args)) });
  const activities = createDeleteActivities({
    em: createEntityManager(failingDb),
    storage: { ...storage, remove: (key) => failing(() => storage.remove(key)) },
    settleMs: 0,
    restMs: 1,
    ...sizes,
  });
  const worker = starting.use(
    await startWorkerOf(temporalForTest(), () => activities, { names: ['workflows', 'bulk'] }),
  );
  const counts = createRelayCounts();
  const relay = createKindDispatcher(
    'purge',
    relayContext({
      db,
      startWorkflow: createStartWorkflow(worker),
      counts,
      onError: () => {},
      reconcileEveryMs: 200,
    }),
  );
  starting.defer(() => relay.stop());
  const resources = starting.move();
  return Object.assign(stack, {
    db,
    em: createEntityManager(db),
    databaseUrl: url,
    storage,
    storageFolder,
    client: worker.client,
    relay,
    counts,
    async done() {
      await eventually(
        async () => (await db.query('select from purges')).rowCount,
        (count) => count === 0,
      );
    },
    [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose](),
  });
}
