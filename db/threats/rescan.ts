import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { ThreatType } from '#core/threats/types.ts';
import { anyHash } from '#db/any-of.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { leadingTo } from './leading-to.ts';

/**
 * Reads the next `limit` verdicts after a key, and which of them are due: expired ones, and clean ones from before
 * `askedBefore`, since Web Risk gives no time for which a URL stays clean. However few are due, no more rows are read.
 * @returns `due`: no scan of them is under way, and a live link or domain leads to them; `last`: key (hexadecimal) of the last
 * verdict of the page, null: there are no more.
 */
export async function readRescanPage(
  { kysely }: EntityManager,
  { after, limit, askedBefore }: { after: string | null; limit: number; askedBefore: Date },
) {
  const { last, seen, due } = await kysely
    .with('page', (db) =>
      db
        .selectFrom('ThreatVerdict as v')
        .select(['v.urlHash as hash', 'v.url', 'v.threatTypes as types'])
        .select(({ and, eb, or, ref }) =>
          and([
            eb('v.dueAt', 'is', null),
            or([
              sql<boolean>`coalesce(${ref('v.expiresAt')} <= now(), true)`,
              and([eb('v.threatTypes', '=', sql<ThreatType[]>`'{}'`), eb('v.scannedAt', '<', askedBefore)]),
            ]),
          ]).as('old'),
        )
        .where('v.urlHash', '>', Buffer.from(after ?? '', 'hex'))
        .orderBy('v.urlHash')
        .limit(limit),
    )
    .selectNoFrom(({ selectFrom }) => [
      selectFrom('page')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .$asScalar()
        .as('seen'),
      selectFrom('page').select('hash').orderBy('hash', 'desc').limit(1).$asScalar().as('last'),
      jsonArrayFrom(
        selectFrom('page as p')
          .select(({ ref }) => [
            sql<string>`encode(${ref('p.hash')}, 'hex')`.as('urlHash'),
            'p.url',
            'p.types as threatTypes',
            sql<boolean>`false`.as('fresh'),
          ])
          .where('p.old', '=', true)
          .where(({ exists, ref }) => exists(leadingTo(kysely, ref('p.hash'))))
          .orderBy('p.hash'),
      ).as('due'),
    ])
    .executeTakeFirstOrThrow();
  return { due, last: seen < limit || last === null ? null : last.toString('hex') };
}

/** Leaves URLs without an answer to ordinary scans, which repeat with growing gaps. */
export async function leaveToScans(
  { kysely }: EntityManager,
  urlHashes: readonly string[],
  dueInMs: number,
): Promise<void> {
  // Lock order: verdicts by their keys (docs/locks.md).
  const open = kysely
    .selectFrom('ThreatVerdict')
    .select('urlHash')
    .where('urlHash', '=', anyHash(urlHashes))
    .where('dueAt', 'is', null)
    .orderBy('urlHash')
    .forUpdate();
  await kysely
    .updateTable('ThreatVerdict')
    .set({ requestedAt: sql`now()`, dueAt: sql`now() + ${dueInMs} * interval '1 millisecond'` })
    .where('urlHash', 'in', open)
    .execute();
}
