import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { updateOrganization } from '#commands/organizations/organizations.ts';
import { createDatabase, type Database, type Sql } from '#db/connection/database.ts';
import { ensureVisitorKeys, monthOf } from '#db/clicks/visitor-keys.ts';
import { createVisitorHash } from '#edge/visitor/hash.ts';
import { createVisitorKeys, type VisitorKeys } from '#edge/visitor/keys.ts';
import { createEdge } from '#edge/server.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { browser, silentLog, useTestEdge, visitEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { site } from '#test/support/site.ts';

let db: Database;
const edge = useTestEdge();
beforeAll(async () => {
  db = edge.db;
});

const clicksOf = (linkId: string, count: number) =>
  eventually(
    () => edge.clicks(linkId),
    ({ length }) => length === count,
  );

describe('an edge', () => {
  test('hashes visitors, the first one too, with the key in the row of the month', async () => {
    const { id, slug } = await edge.link();
    for (let time = 0; time < 2; time += 1) expect((await edge.visit(`/${slug}`)).status).toBe(302);
    const clicks = await clicksOf(id, 2);
    const month = monthOf(Date.now());
    const key = (await ensureVisitorKeys(db, [month], () => expect.unreachable())).get(month)!;
    const expected = createHash('sha256')
      .update(key)
      .update(`${edge.organization.id}\n127.0.0.1\n${browser}`)
      .digest()
      .subarray(0, 16);
    expect(clicks.map(({ visitor }) => visitor)).toEqual([expected, expected]);
  });

  test('shares the key with other edges, whatever their SECRET_KEY, so that a visitor is one', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'waymark-edge-'));
    const database = createDatabase({ url: edge.databaseUrl });
    const other = createEdge({
      site,
      database,
      databaseUrl: edge.databaseUrl,
      dataDir,
      secretKeys: ['a key that has just been exchanged'],
      trustedProxies: [],
      fsync: false,
      isHttps: false,
      fileUrl: (key) => key,
      securityContacts: [],
      notFoundPerMinute: 1_000,
      log: silentLog,
      shipDeadlineMs: 2_000,
    });
    try {
      const address = await other.listen({ host: '127.0.0.1', port: 0 });
      const { id, slug } = await edge.link();
      await edge.visit(`/${slug}`);
      // Its first connection may take longer than a visitor waits.
      await eventually(
        () => visitEdge(address, `/${slug}`, { host: edge.domain.domain }),
        ({ status }) => status === 302,
      );
      const clicks = await clicksOf(id, 2);
      expect(clicks[0]!.visitor).toEqual(clicks[1]!.visitor);
    } finally {
      await other.close();
      await database.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  test('counts a visit with Sec-GPC as one of an unknown visitor where its organization honours that (13.5)', async () => {
    const { id, slug } = await edge.link();
    const gpc = { headers: { 'sec-gpc': '1' } };
    await edge.visit(`/${slug}`);
    await edge.visit(`/${slug}`, gpc);
    const before = await clicksOf(id, 2);
    expect(before[0]!.visitor).toEqual(before[1]!.visitor);
    await emOf(db).transactional((em) => updateOrganization(em, edge.organization.id, { honoursGpc: true }));
    const visitors = await eventually(
      async () => {
        await edge.visit(`/${slug}`, gpc);
        const { rows } = await db.query<{ visitor: Buffer }>('select distinct visitor from clicks where link_id = $1', [
          id,
        ]);
        return rows;
      },
      ({ length }) => length >= 3,
    );
    expect(new Set(visitors.map(({ visitor }) => visitor.toString('hex'))).size).toBe(visitors.length);
    await emOf(db).transactional((em) => updateOrganization(em, edge.organization.id, { honoursGpc: false }));
  });
});

describe('keys in memory', () => {
  const june = Date.UTC(2031, 5, 20);
  const july = Date.UTC(2031, 6, 1);

  /** Keys of an edge at a moment; `isUnreachable` makes its database fail. */
  function start(nowMs: number): { keys: VisitorKeys; at: { nowMs: number; isUnreachable: boolean; asked: number } } {
    const at = { nowMs, isUnreachable: false, asked: 0 };
    const sql: Sql = {
      query(...args: Parameters<Sql['query']>) {
        at.asked += 1;
        return at.isUnreachable ? Promise.reject(new Error('away')) : db.query(...args);
      },
    };
    const keys = createVisitorKeys({ sql, now: () => at.nowMs, log: silentLog, refreshMs: 20, retryMs: 20 });
    return { keys, at };
  }

  test('outlive a database that is away at the turn of the month', async () => {
    const { keys, at } = start(june);
    const other = start(june);
    await Promise.all([keys.pending(june), other.keys.pending(june)]);
    at.isUnreachable = true;
    at.nowMs = july;
    expect(keys.pending(july)).toBeUndefined();
    const hash = createVisitorHash(keys);
    const [inJune, inJuly] = [hash('o', 'a', 'u', monthOf(june)), hash('o', 'a', 'u', monthOf(july))];
    expect(inJuly).not.toBe(inJune);
    expect(hash('o', 'a', 'u', monthOf(july + 1))).toBe(inJuly);
    expect(createVisitorHash(other.keys)('o', 'a', 'u', monthOf(july))).toBe(inJuly);
    // Back again, it gives the next month's too, and June is forgotten.
    at.isUnreachable = false;
    await eventually(
      async () => [keys.find(monthOf(Date.UTC(2031, 7, 1))), keys.find(monthOf(june))],
      ([next, last]) => next !== undefined && last === undefined,
    );
    expect(hash('o', 'a', 'u', monthOf(july + 2))).toBe(inJuly);
    keys.close();
    other.keys.close();
  });

  test('are waited for only while the database answers; without one each visit is of a visitor of its own', async () => {
    const { keys, at } = start(Date.UTC(2032, 1, 1));
    at.isUnreachable = true;
    await keys.pending(at.nowMs);
    const hash = createVisitorHash(keys);
    expect(hash('o', 'a', 'u', monthOf(at.nowMs))).not.toBe(hash('o', 'a', 'u', monthOf(at.nowMs)));
    at.isUnreachable = false;
    await eventually(async () => keys.find(monthOf(at.nowMs)), Boolean);
    expect(hash('o', 'a', 'u', monthOf(at.nowMs))).toBe(hash('o', 'a', 'u', monthOf(at.nowMs)));
    keys.close();
  });

  test('are given back to a database that has lost them, so that visitors stay who they are', async () => {
    const nowMs = Date.UTC(2033, 1, 1);
    const { keys } = start(nowMs);
    await keys.pending(nowMs);
    const key = keys.find(monthOf(nowMs))!;
    await db.query(`delete from visitor_keys where month = '2033-02'`);
    const found = await eventually(
      async () =>
        (await db.query<{ key: Buffer }>(`select key from visitor_keys where month = '2033-02'`)).rows[0]?.key,
      (read) => read !== undefined,
    );
    expect(found).toEqual(key);
    keys.close();
  });
});
