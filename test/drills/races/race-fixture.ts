import { expect } from 'vitest';
import { createDatabase, type Database } from '#db/connection/database.ts';
import { createClient } from '#test/support/kill/client.ts';
import type { TestOrganization } from '#test/support/factories.ts';
import { testOrigin } from '#test/support/people.ts';
import { shareFixture, useFixture } from '#test/support/fixture.ts';
import { createTestDatabase } from '#test/support/stack.ts';
import { startProcess } from '#test/support/product-process.ts';

/** An answer, its body parsed. */
export interface RaceAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  body: any;
}

/** Who calls: an organization by its key, or headers. */
export type RaceCaller = Pick<TestOrganization, 'key'> | { headers: Readonly<Record<string, string | undefined>> };

/** Two processes of the API over one database, called over HTTP in turn. */
export interface Races extends AsyncDisposable {
  db: Database;
  /** Asks one process, and next time the other. */
  call(caller: RaceCaller, method: string, path: string, body?: unknown, headers?: object): Promise<RaceAnswer>;
  /** Has both read an organization's key, so that neither has to when it matters. */
  warm(organization: TestOrganization): Promise<void>;
  /** Fails where the database had to end a deadlock, or a process logged an error, since the last time. */
  expectCalm(): Promise<void>;
}

const connections = 60;

const shared = shareFixture(startRaces);

/** Both, which the files of one test process share. */
export const useRaces = (): Races => useFixture(shared);

/** Starts both. */
export async function startRaces(): Promise<Races> {
  await using stopped = new AsyncDisposableStack();
  const database = stopped.use(await createTestDatabase({ isShared: true }));
  const db = createDatabase({ url: database.url, onError: () => {} });
  stopped.defer(() => db.close());
  const lines: string[] = [];
  const start = async () =>
    stopped.use(
      await startProcess(
        'api',
        database.url,
        // A connection for each call: on a busy machine one would be waited for longer than the API does.
        { THREAT_SCAN_WAIT_MS: '0', BASE_URL: testOrigin, DATABASE_POOL_MAX: String(connections / 2) },
        lines,
      ),
    );
  const processes = await Promise.all([start(), start()]);
  const clients = processes.map(({ url }) => stopped.use(createClient(url, connections / 2, 120_000)));
  lines.length = 0;
  let deadlocksBefore = 0;
  let turn = 0;

  async function call(
    caller: RaceCaller,
    method: string,
    path: string,
    body?: unknown,
    headers: object = {},
  ): Promise<RaceAnswer> {
    const who = 'key' in caller ? { 'x-api-key': caller.key } : caller.headers;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const about =
      text === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
    const sent = Object.entries({ ...who, ...about, ...headers }).filter(([, value]) => value !== undefined);
    const outcome = await clients[(turn += 1) % 2]!.send({
      method,
      path,
      headers: Object.fromEntries(sent),
      ...(text === undefined ? {} : { body: text }),
    });
    if (outcome.kind !== 'answer') throw new Error(`${method} ${path} was ${outcome.kind}`);
    return { status: outcome.status, headers: outcome.headers, body: JSON.parse(outcome.body) };
  }

  const owned = stopped.move();
  return {
    db,
    call,
    async warm(organization) {
      for (const _ of clients) await call(organization, 'GET', '/folder/list?limit=0');
    },
    async expectCalm() {
      const { rows } = await db.query<{ deadlocks: number }>(
        'select deadlocks from pg_stat_database where datname = current_database()',
      );
      const { deadlocks } = rows[0]!;
      // Warnings tell of a machine that is slow.
      const errors = lines.splice(0).filter((line) => /"level":[56]0/.test(line));
      const found = { deadlocks: deadlocks - deadlocksBefore, errors };
      deadlocksBefore = deadlocks;
      expect(found).toEqual({ deadlocks: 0, errors: [] });
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** How often each status was answered. */
export function tally(answers: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** The statuses that are none of those allowed, with one body of each. */
export function unlike(
  answers: readonly { status: number; body?: unknown }[],
  ...allowed: readonly number[]
): Map<number, unknown> {
  const odd = answers.filter(({ status }) => !allowed.includes(status));
  return new Map(odd.map(({ status, ...rest }) => [status, rest]));
}

/** So many numbers from 0. */
export const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** What an organization has, as plain SQL counts it, and everything about it that may never be. */
export async function audit(db: Database, organizationId: string) {
  const count = async (text: string): Promise<number> => {
    const { rows } = await db.query<{ count: number }>(`select count(*) as count from ${text}`, [organizationId]);
    return rows[0]!.count;
  };
  const live = 'short_links l where l.organization_id = $1 and l.deleted_at is null';
  const { rows } = await db.query<{ links: number }>(
    'select coalesce(sum(links), 0)::bigint as links from link_totals where organization_id = $1',
    [organizationId],
  );
  return {
    links: await count(live),
    totals: rows[0]!.links,
    tags: await count('tags where organization_id = $1 and deleted_at is null'),
    folders: await count('folders where organization_id = $1 and deleted_at is null and not is_default'),
    domains: await count('domains where organization_id = $1 and deleted_at is null'),
    defaultFolders: await count('folders where organization_id = $1 and deleted_at is null and is_default'),
    primaryDomains: await count('domains where organization_id = $1 and deleted_at is null and is_primary'),
    onDeletedDomains: await count(`${live} and domain_id in (select id from domains where deleted_at is not null)`),
    inDeletedFolders: await count(`${live} and folder_id in (select id from folders where deleted_at is not null)`),
    withDeletedTags: await count(`link_tags t join tags g on g.id = t.tag_id join short_links l on l.id = t.link_id
      where l.organization_id = $1 and l.deleted_at is null and g.deleted_at is not null`),
    withDeletedImages: await count(`${live} and exists (
      select from qr_codes q join files f on f.id = q.image_id where q.id = l.qr_code_id and f.deleted_at is not null)`),
    withoutDestination: await count(`${live} and 1 <> (
      select count(*) from destinations d where d.link_id = l.id and d.rule_id is null)`),
    rulesWithoutDestination: await count(`rules r join short_links l on l.id = r.link_id
      where l.organization_id = $1 and 1 <> (select count(*) from destinations d where d.rule_id = r.id)`),
    untold: await count(`${live} and 1 <> (
      select count(*) from events e where e.link_id = l.id and e.type = 'link.created')`),
    twiceDeleted: await count(`(select link_id from events where organization_id = $1 and type = 'link.deleted'
      group by link_id having count(*) > 1) e`),
  };
}

/** Expects that nothing of an organization is what it may never be, and that the API counts what SQL counts. */
export async function expectWhole(races: Races, organization: TestOrganization, caller: RaceCaller = organization) {
  const found = await audit(races.db, organization.id);
  expect(found).toMatchObject({
    totals: found.links,
    defaultFolders: 1,
    onDeletedDomains: 0,
    inDeletedFolders: 0,
    withDeletedTags: 0,
    withDeletedImages: 0,
    withoutDestination: 0,
    rulesWithoutDestination: 0,
    untold: 0,
    twiceDeleted: 0,
  });
  expect(found.primaryDomains).toBeLessThanOrEqual(1);
  const shown = { links: 'short-link', tags: 'tag', domains: 'domain' } as const;
  for (const [kind, path] of Object.entries(shown) as ['links' | 'tags' | 'domains', string][]) {
    const { body } = await races.call(caller, 'GET', `/${path}/list?limit=0`);
    expect([kind, body.count]).toEqual([kind, found[kind]]);
  }
  return found;
}
