import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, vi } from 'vitest';
import type { Sql } from '#db/connection/database.ts';
import type { TestApi } from './api.ts';
import { eventually } from './eventually.ts';
import { writeMultipart } from './upload.ts';

/** Sends a file of so many links, which no worker makes. @returns the import's id. */
export async function beginImport({ call, organization }: TestApi, links: number, key = organization.key) {
  const rows = Array.from({ length: links }, (_, index) => `https://example.com/${index}`);
  const content = ['destination', ...rows].join('\n');
  const { payload, headers } = writeMultipart([{ filename: 'links.csv', type: 'text/csv', content }]);
  const options = { payload, headers: { ...headers, 'x-api-key': key } };
  const { status, body } = await call('POST', '/short-link/import', undefined, options);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id as string;
}

/** Does as if so many links of an import were made. */
export async function setImported(db: Sql, id: string, imported: number, { isOver = false } = {}): Promise<void> {
  await db.query(
    `update imports set imported = $2, state = case when $3 then 'completed' else 'running' end,
       finished_at = case when $3 then now() end where id = $1`,
    [id, imported, isOver],
  );
}

/** Watches how tools read an import, which a wait does each second. */
export function watchReads({ app }: TestApi, id: string) {
  const calls = vi.spyOn(app, 'inject');
  const count = (): number => calls.mock.calls.filter((call) => JSON.stringify(call).includes(id)).length;
  return {
    /** Resolves once a wait has begun: the first read of a call comes before it. */
    begin: () => eventually(count, (reads) => reads > 1),
    /** Resolves with true once no read has come for longer than a wait rests. */
    end: () =>
      eventually(async () => {
        const before = count();
        await setTimeout(2_500);
        return before > 0 && count() === before;
      }),
    [Symbol.dispose]: () => calls.mockRestore(),
  };
}

/** In the tests of the file a wait of a tool ends by its import, its client or its API, not by its time, however slow the machine is. */
export function useWaitsWithoutEnd(): void {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());
}
