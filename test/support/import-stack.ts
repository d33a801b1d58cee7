import { findNoLocalAnswers } from './local-answers.ts';
import { createImportActivities, type ImportDependencies } from '#activities/imports/imports.ts';
import type { Database } from '#db/connection/database.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import { createKindDispatcher } from '#relay/kinds.ts';
import { type Answer, createTestApi, type TestApi, testSite } from './api.ts';
import { eventually } from './eventually.ts';
import { playWorkflows } from './played-workflows.ts';
import { relayContext } from './relay.ts';
import { type Part, writeMultipart } from './upload.ts';

/** API, relay and activities that turn rows of imports into links, in one process. A loop plays their workflows. */
export interface ImportStack extends AsyncDisposable {
  api: TestApi;
  /** Ends the work on imports as if Temporal had lost it. */
  lose(): Promise<void>;
  /** Sends a file; `parts` are beside it, `key` another organization's. */
  send(content: string | Buffer, parts?: Record<string, string>, key?: string): Promise<Answer>;
  /** Sends a file and waits until all of its rows are done. @returns the import then, and its rows. */
  run(content: string | Buffer, parts?: Record<string, string>, key?: string): Promise<FinishedImport>;
  /** Waits until all rows of an import are done; `headers` name the caller. */
  finished(id: string, headers?: Record<string, string | undefined>): Promise<FinishedImport>;
}

type TurnProgress = { state: string; isWaiting?: boolean } | null;

/** An import that has ended. */
export interface FinishedImport {
  id: string;
  state: string;
  counts: { total: number; imported: number; skipped: number; failed: number };
  rows: { row: number; state: string; shortLinkId: string | null; error: string | null }[];
}

/** Starts it on a database of its own; `sizes` are the activities' own, `seeing` what they see of the database. */
export async function startImportStack(
  sizes: Omit<ImportDependencies, 'em' | 'site' | 'findLocalAnswers'> = {},
  seeing: (db: Database) => Database = (db) => db,
): Promise<ImportStack> {
  await using starting = new AsyncDisposableStack();
  const api = starting.use(await createTestApi());
  const activities = createImportActivities({
    em: createEntityManager(seeing(api.db)),
    site: testSite,
    findLocalAnswers: findNoLocalAnswers,
    // Beside others they rest four times as long as they work.
    isBesideOthers: () => Promise.resolve(false),
    ...sizes,
  });
  // Turn after turn, as the workflows `importLinks` and `undoImport`.
  const { startWorkflow, lose } = playWorkflows(async ({ type, options }, run, environment) => {
    const [target] = options.args as [{ importId: string }];
    for (;;) {
      const progress = await run<TurnProgress>(() => activities[type as keyof typeof activities](target));
      if (progress?.isWaiting === true) await environment.context.sleep(20);
      else if (progress?.state !== 'running' && progress?.state !== 'undoing') return;
    }
  });
  const relay = createKindDispatcher(
    'import',
    relayContext({ db: api.db, startWorkflow, onError: () => {}, reconcileEveryMs: 200 }),
  );
  starting.defer(async () => {
    await relay.stop();
    await lose();
  });
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
    lose,
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
