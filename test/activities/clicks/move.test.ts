// @module-tag process

import { describe, expect, test } from 'vitest';
import {
  type ClickMove,
  createMoveActivities,
  type MonthPlace,
  type MoveActivities,
  type MovedSome,
} from '#activities/clicks/move.ts';
import { createClickHouseIngest } from '#db/clicks/clickhouse/ingest.ts';
import { movedTables } from '#db/clicks/stores/store.ts';
import { createClickHouseStatistics } from '#db/stats/clickhouse/statistics.ts';
import { createStatistics } from '#db/stats/statistics.ts';
import { hideClicks } from '#db/stats/rollups.ts';
import type { ClickFilters, GroupBy } from '#core/stats/stats.ts';
import { asActivity } from '#test/support/activities.ts';
import { chdb, useClickHouse } from '#test/support/clickhouse.ts';
import { createLink, createTag, deleteLink } from '#test/support/edge-factories.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { isNight } from '#test/support/night.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { ingestClicks, readBreakdown, type TestClick, testClick } from '#test/support/stats.ts';

const day = 86_400_000;
const startMs = Date.UTC(2026, 0, 20);
const range = { startMs: startMs - day, endMs: startMs + 60 * day };

describe.skipIf(chdb === undefined)('a move of clicks', () => {
  const db = useTestDatabase();
  const clickhouse = useClickHouse();

  /** Organizations with clicks of three months, of people and of bots; `made` counts them. */
  async function createScene() {
    const organizations = [await createOrganization(db), await createOrganization(db)];
    if (isNight) organizations.push(await createOrganization(db));
    const links: { organizationId: string; domainId: string; folderId: string; linkId: string; tagIds: string[] }[] =
      [];
    for (const { id: organizationId, folderId } of organizations) {
      const { id: domainId } = await createDomain(db, organizationId);
      for (let index = 0; index < 2; index += 1) {
        const { id: linkId } = await createLink(db, { organizationId, domainId, folderId });
        links.push({ organizationId, domainId, folderId, linkId, tagIds: [await createTag(db, organizationId)] });
      }
    }
    let made = 0;
    const clicksOf = (count: number): TestClick[] =>
      Array.from({ length: count }, () => {
        made += 1;
        return testClick({
          ...links[made % links.length]!,
          // Some of one moment.
          clickedAtMs: startMs + Math.floor(made / 3) * 3 * 3_600_000 + 123,
          visitor: String(made % 7).padStart(32, '0'),
          country: ['DE', undefined, 'US'][made % 3],
          city: ['Köln', "a\tb\\c'd\n", undefined, ''][made % 4],
          isQrCode: made % 5 === 0,
          ...(made % 4 === 0 && { bot: 'crawler' as const }),
        });
      });
    return { organizations, links, clicksOf };
  }

  const by = { postgresql: createStatistics(db), clickhouse: createClickHouseStatistics(clickhouse, emOf(db)) };

  /** Everything that statistics tell of organizations. */
  async function answersOf(store: keyof typeof by, organizations: readonly { id: string }[]): Promise<unknown> {
    const answers: unknown[] = [];
    for (const { id: organizationId } of organizations) {
      for (const agents of ['humans', 'all'] as const) {
        const filters: ClickFilters = { shortLinkIds: [], domainIds: [], folderIds: [], tagIds: [], agents };
        for (const groupBy of ['city', 'uniqueVisitors'] satisfies GroupBy[]) {
          const asked = { organizationId, range, filters, groupBy, limit: 20, nowMs: range.endMs };
          const { rows, total } = await readBreakdown(by[store], asked);
          answers.push({ total, rows: rows.map(({ group, count }) => [group, count]) });
        }
        answers.push(await by[store].listClicks({ organizationId, range, filters, limit: 1_000 }));
      }
    }
    return answers;
  }

  /** A store whose calls fail, so many of them: half before and half after they took effect. */
  function dying<T extends object>(store: T, death: { left: number }): T {
    return new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return async (...args: unknown[]): Promise<unknown> => {
          const dies = death.left > 0 && Math.random() < 0.1;
          if (dies) death.left -= 1;
          const isBefore = Math.random() < 0.5;
          if (dies && isBefore) throw new Error('the worker died');
          const result: unknown = await member.apply(target, args);
          if (dies) throw new Error('the worker died');
          return result;
        };
      },
    });
  }

  /** Runs a move as its workflow does; where it dies, it goes on from where its last turn ended. */
  async function move(how: ClickMove, deaths = 0): Promise<MovedSome> {
    const death = { left: deaths };
    const activities = createMoveActivities({
      em: emOf(dying(db, death)),
      clickhouse: dying(clickhouse, death),
      batchSize: isNight ? 7 : 20,
      turnMs: 30,
    });
    const months = createMoveActivities({ em: emOf(db), clickhouse });
    /** @returns undefined where the worker died. */
    const moveSome = (
      input: Parameters<MoveActivities['moveMonth']>[0],
    ): Promise<Awaited<ReturnType<MoveActivities['moveMonth']>> | undefined> =>
      asActivity(() => activities.moveMonth(input)).catch((error: Error) => {
        if (error.message !== 'the worker died') throw error;
        return undefined;
      });
    const sum: MovedSome = { parts: 0, copied: 0, removed: 0, different: [] };
    for (const table of movedTables) {
      for (const month of await asActivity(() => months.listMovedMonths({ ...how, table }))) {
        let place: MonthPlace | null = null;
        for (let isDone = false; !isDone;) {
          const turn = await moveSome({ ...how, table, month, place });
          if (turn === undefined) continue;
          place = turn.place;
          isDone = place === null;
          sum.parts += turn.parts;
          sum.copied += turn.copied;
          sum.removed += turn.removed;
          sum.different.push(...turn.different);
        }
      }
    }
    return sum;
  }

  const stored = async (): Promise<number[]> => {
    const { rows } = await db.query<{ clicks: number; bots: number; days: number }>(
      `select (select count(*) from clicks)::int as clicks, (select count(*) from bot_clicks)::int as bots,
         (select coalesce(sum(n), 0) from click_days, unnest(quarters) n)::int as days`,
    );
    const there = await clickhouse.query<{ n: number }>(
      'select count() as n from clicks union all select count() from bot_clicks',
    );
    return [rows[0]!.clicks, rows[0]!.bots, rows[0]!.days, there.reduce((total, { n }) => total + n, 0)];
  };

  test('there and back, with deaths and with clicks that come meanwhile, leaves each click once, and statistics as they were', async () => {
    const { organizations, links, clicksOf } = await createScene();
    const deaths = isNight ? 40 : 4;
    const clicks = clicksOf(isNight ? 900 : 30);
    await ingestClicks(db, clicks);
    // Clicks of a deleted link, which its deletion is about to remove, are not copied.
    const gone = links.at(-1)!;
    await emOf(db).transactional(async (em) => {
      await deleteLink(em, gone.linkId);
      await hideClicks(em, [gone.linkId]);
    });
    const live = clicks.filter(({ linkId }) => linkId !== gone.linkId);
    const meant = await answersOf('postgresql', organizations);

    const there = await move({ to: 'clickhouse', removes: false }, deaths);
    expect(there.different).toEqual([]);
    expect((await stored()).at(-1)).toBe(live.length);
    expect(await answersOf('clickhouse', organizations)).toEqual(meant);
    expect(await answersOf('postgresql', organizations)).toEqual(meant);
    expect(await move({ to: 'clickhouse', removes: false })).toMatchObject({ copied: 0, removed: 0, different: [] });

    // Until the switch PostgreSQL gets clicks, and from then on ClickHouse.
    const isLive = ({ linkId }: TestClick): boolean => linkId !== gone.linkId;
    const [late, young] = [clicksOf(12).filter(isLive), clicksOf(12).filter(isLive)];
    await ingestClicks(db, late);
    await ingestClicks(db, young, createClickHouseIngest(clickhouse));
    const all = live.length + late.length + young.length;
    const rest = await move({ to: 'clickhouse', removes: true }, deaths);
    expect(rest.different).toEqual([]);
    const hidden = clicks.filter(({ linkId, bot }) => linkId === gone.linkId && bot === undefined).length;
    const hiddenBots = clicks.length - live.length - hidden;
    expect(await stored()).toEqual([hidden, hiddenBots, hidden, all]);
    const now = await answersOf('clickhouse', organizations);

    const back = await move({ to: 'postgresql', removes: false }, deaths);
    expect(back.different).toEqual([]);
    const humans = [...live, ...late, ...young].filter(({ bot }) => bot === undefined).length;
    expect(await stored()).toEqual([humans + hidden, all - humans + hiddenBots, humans + hidden, all]);
    expect(await answersOf('postgresql', organizations)).toEqual(now);
    expect(await move({ to: 'postgresql', removes: false })).toMatchObject({ copied: 0, different: [] });
  });

  test('clicks that are in ClickHouse twice are named, and not removed from PostgreSQL', async () => {
    await db.query('truncate clicks, bot_clicks, click_days');
    const { organizations, clicksOf } = await createScene();
    const [first] = organizations;
    const own = clicksOf(40).filter(({ organizationId, bot }) => organizationId === first!.id && bot === undefined);
    await ingestClicks(db, own);
    for (let time = 0; time < 2; time += 1) await ingestClicks(db, own.slice(0, 1), createClickHouseIngest(clickhouse));
    const moved = await move({ to: 'clickhouse', removes: true });
    expect(moved).toMatchObject({ different: [first!.id], removed: 0 });
    const { rows } = await db.query('select count(*)::int as n from clicks where organization_id = $1', [first!.id]);
    expect(rows).toEqual([{ n: own.length }]);
  });

  test('a worker without ClickHouse says so', async () => {
    const { listMovedMonths } = createMoveActivities({ em: emOf(db) });
    await expect(
      asActivity(() => listMovedMonths({ to: 'clickhouse', removes: false, table: 'clicks' })),
    ).rejects.toThrow('CLICKHOUSE_URL');
  });
});
