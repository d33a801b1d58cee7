import type { Client } from '@temporalio/client';
import type { ImportDependencies } from '#activities/imports/imports.ts';
import { createStartWorkflow } from '#adapters/temporal/start.ts';
import type { Database } from '#db/connection/database.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import { createKindDispatcher } from '#relay/kinds.ts';
import { type Answer, createTestApi, type TestApi, testSite } from './api.ts';
import { eventually } from './eventually.ts';
import { relayContext } from './relay.ts';
import { temporalForTest } from './stack.ts';
import { startTestWorker } from './test-worker.ts';
import { type Part, writeMultipart } from './upload.ts';

/** API, relay and worker that turn rows of imports into links, in one process. */
export interface ImportStack extends AsyncDisposable {
  api: TestApi;
  client: Client;
  /** Sends a file; `parts` are beside it, `key` another organization's. */
  send(content: string | Buffer, parts?: Record<string, string>, key?: string): Promise<Answer>;
  /** Sends a file and waits until all of its rows are done. @returns the import then, and its rows. */
  run(content: string | Buffer, parts?: Record<string, string>, key?: string): Promise<FinishedImport>;
  /** Waits until all rows of an import are done; `headers` name the caller. */
  finished(id: string, headers?: Record<string, string | undefined>): Promise<FinishedImport>;
}

/** An import that has ended. */
export interface FinishedImport {
  id: string;
  state: string;
  counts: { total: number; imported: number; skipped: number; failed: number };
  rows: { row: number; state: string; shortLinkId: string | null; error: string | null }[];
}

/** Starts it on a database of its own; `sizes` are the activities' own, `seeing` what they see of the database. */
export async function startImportStack(
  sizes: Omit<ImportDependencies, 'em' | 'site'> = {},
  seeing: (db: Database) => Database = (db) => db,
): Promise<ImportStack> {
  await using starting = new AsyncDisposableStack();
  const api = starting.use(await createTestApi());
  const worker = starting.use(
    await startTestWorker({
      temporal: temporalForTest(),
      sql: api.db,
      scanner: { name: 'none', lookup: () => Promise.reject(new Error('not asked')), close: async () => {} },
      imports: { em: createEntityManager(seeing(api.db)), site: testSite, restMs: 1, ...sizes },
    }),
  );
  const relay = createKindDispatcher(
    'import',
    relayContext({
      db: api.db,
      startWorkflow: createStartWorkflow(worker),
      onError: () => {},
      reconcileEveryMs: 200,
    }),
  );
  starting.defer(() => relay.stop());
  const resources = starting.move();
  const withKey = (key?: string): { headers: Record<string, string> } => ({
    headers: key === undefined ? {} : { 'x-api-key': key },
  });

  async function send(content: string | Buffer, parts: Record<string, string> = {}, key?: string): Promise<Answer> {
    const fields = Object.entries(parts).map(([name, text]): Part => ({ name, filename: null, content: text }));
    const { payload, headers } = writeMultipart([...fields, { filename: 'links.csv', type: 'text/csv', content }]);
    return api.call('POST', '/short-link/import', undefined, {
      payload,
      headers: { ...headers, ...withKey(key).headers },
    });
  }

  async function finished(id: string, headers: Record<string, string | undefined> = {}): Promise<FinishedImport> {
    const options = { headers: headers as Record<string, string> };
    const { body } = await eventually(
      () => api.call('GET', `/short-link/import/${id}`, undefined, options),
      (answer) => answer.body.finishedAt !== null,
      30_000,
    );
    const rows: FinishedImport['rows'] = [];
    for (let page = 0; page === 0 || rows.length < body.imported + body.skipped + body.failed; page += 1) {
      const url = `/short-link/import/${id}/rows?limit=50&page=${page}`;
      rows.push(...(await api.call('GET', url, undefined, options)).body.data);
    }
    const { state, total, imported, skipped, failed } = body;
    return { id, state, counts: { total, imported, skipped, failed }, rows };
  }

  return {
    api,
    client: worker.client,
    send,
    finished,
    async run(content, parts, key) {
      const { status, body: begun } = await send(content, parts, key);
      if (status !== 201) throw new Error(JSON.stringify(begun));
      return finished(begun.id, withKey(key).headers);
    },
    [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose](),
  };
}
