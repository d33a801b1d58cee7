import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDeleteActivities, type DeleteDependencies } from '#activities/deletions/deletions.ts';
import { createFolderStorage } from '#adapters/storage/folder.ts';
import type { Storage } from '#core/files/storage.ts';
import { createDatabase, type Database, type Sql } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import { createKindDispatcher } from '#relay/kinds.ts';
import { eventually } from './eventually.ts';
import { useFixture } from './fixture.ts';
import { type PlayedWorkflows, playWorkflows } from './played-workflows.ts';
import { relayContext } from './relay.ts';
import { createTestDatabase, patientMs } from './stack.ts';

/** Relay and activities that remove deleted subjects, in one process; the test plays their workflows. */
export interface Deletions extends AsyncDisposable, Omit<PlayedWorkflows, 'startWorkflow'> {
  db: Database;
  em: EntityManager;
  storage: Storage;
  /** Where its objects are. */
  storageFolder: string;
  /** How many of the statements and transactions to come fail, some of them: half before and half after they took effect. */
  failures: number;
  /** How often a deletion had to wait for another. */
  waits: number;
  /** Waits until nothing deleted is left to be removed. */
  done(): Promise<void>;
}

/** The sums of a deletion's turns. */
export interface Removed {
  told: number;
  links: number;
  clicks: number;
}

/** Starts it on a database of its own; `sizes` are the activities' own. */
export function useDeletions(sizes: () => Omit<DeleteDependencies, 'em' | 'storage'> = () => ({})): Deletions {
  return useFixture(() => startDeletions(sizes()));
}

async function startDeletions(sizes: Omit<DeleteDependencies, 'em' | 'storage'>): Promise<Deletions> {
  await using starting = new AsyncDisposableStack();
  const { url } = starting.use(await createTestDatabase());
  const open = (): Database =>
    starting.adopt(createDatabase({ url, poolMax: 20, connectTimeoutMs: patientMs }), (pool) => pool.close());
  const [db, failingDb] = [open(), open()];
  const storageFolder = starting.adopt(await mkdtemp(join(tmpdir(), 'waymark-deletes-')), (path) =>
    rm(path, { recursive: true, force: true }),
  );
  const storage = createFolderStorage(storageFolder);
  const state = { failures: 0, waits: 0 };
  const failing = async <T>(work: () => Promise<T>): Promise<T> => {
    const fails = state.failures > 0 && Math.random() < 0.03;
    if (fails) state.failures -= 1;
    const isBefore = Math.random() < 0.5;
    if (fails && isBefore) throw new Error('killed before');
    const result = await work();
    if (fails) throw new Error('killed after');
    return result;
  };
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

  const { startWorkflow, ...played } = playWorkflows(async ({ type, options }, run, environment) => {
    const target = options.args![0] as { purgeId: string };
    const removed: Removed = { told: 0, links: 0, clicks: 0 };
    type Turn = Partial<Removed> & { more: boolean };
    async function repeat(turn: (of: typeof target) => Promise<Turn>): Promise<void> {
      for (let more = true; more;) {
        const done = await run(() => turn(target));
        for (const key of ['told', 'links', 'clicks'] as const) removed[key] += done[key] ?? 0;
        more = done.more;
      }
    }
    const remove = async (): Promise<void> => {
      if (type !== 'deleteFolder') await repeat(activities.removeDeletedLinks);
      if (type === 'deleteOrganization') await repeat(activities.removeDeletedBelongings);
    };
    if (type !== 'deleteLink') await repeat(activities.tellOfDeletes);
    if (type !== 'deleteFolder') await run(() => activities.settleDelete(target));
    await remove();
    while (!(await run(() => activities.finishDelete(target)))) {
      state.waits += 1;
      await environment.context.sleep(20);
      await remove();
    }
    return removed;
  });
  const relay = createKindDispatcher(
    'purge',
    relayContext({ db, startWorkflow, onError: () => {}, reconcileEveryMs: 200 }),
  );
  starting.defer(async () => {
    await relay.stop();
    await played.lose();
  });
  const resources = starting.move();
  return Object.assign(state, {
    ...played,
    db,
    em: createEntityManager(db),
    storage,
    storageFolder,
    async done() {
      await eventually(async () => (await db.query('select from purges')).rowCount === 0);
    },
    [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose](),
  });
}
