import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import {
  ChainCheck,
  type ChainBreak,
  type ChainEnds,
  firstHash,
  hashDetails,
  hashLine,
  type SealedLine,
} from '#core/audit/audit-chain.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';

// Lines of no organization have a chain of their own.
const ofInstallation = '00000000-0000-0000-0000-000000000000';
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
// Counts of an hour end with it; a process with a late clock may count for some minutes more.
const lateMs = 5 * 60_000;

const fields = [
  'id',
  'at',
  'caller',
  'userId',
  'keyId',
  'actor',
  'action',
  'organizationId',
  'subjectId',
  'count',
  'lastAt',
  'details',
] as const;

/**
 * Adds lines of the audit log to the chains of their organizations, `limit` at most. Lines that still change wait: counts for the end
 * of their hour, a run of a command for its end, or a day where it was killed.
 * @returns whether there may be others.
 */
export function sealLines(em: EntityManager, now: Date, limit: number): Promise<boolean> {
  return em.transactional(async (em) => {
    const lines = await em.kysely
      .selectFrom('AuditEntry')
      .select(fields)
      .where('position', 'is', null)
      .where(({ eb, or }) =>
        or([eb('bucket', 'is', null), eb('at', '<', new Date(Math.floor((+now - lateMs) / hourMs) * hourMs))]),
      )
      .where(({ eb, or, ref }) =>
        or([
          sql<boolean>`coalesce(${ref('details')} ->> 'outcome', '') <> 'begun'`,
          eb('at', '<', new Date(+now - dayMs)),
        ]),
      )
      .orderBy('id')
      .limit(limit)
      .forUpdate()
      // Another process seals these.
      .skipLocked()
      .execute();
    const byChain = Map.groupBy(lines, ({ organizationId }) => organizationId ?? ofInstallation);
    for (const id of [...byChain.keys()].toSorted()) {
      let { length, head } = await holdChain(em, id);
      for (const line of byChain.get(id) ?? []) {
        length += 1;
        const salt = randomBytes(16).toString('hex');
        const detailsHash = hashDetails(salt, line.details);
        head = hashLine(head, { ...line, position: length, detailsHash });
        const sealed = { position: length, salt, detailsHash, hash: head };
        await em.kysely.updateTable('AuditEntry').set(sealed).where('id', '=', line.id).execute();
      }
      await em.kysely.updateTable('AuditChain').set({ length, head }).where('id', '=', id).execute();
    }
    return lines.length === limit;
  });
}

/** Locks a chain, new or old. */
async function holdChain(em: EntityManager, id: string): Promise<{ length: number; head: string }> {
  await em.kysely
    .insertInto('AuditChain')
    .values({ id, length: 0, head: firstHash, keptFrom: 1, keptAfter: firstHash })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return em.kysely
    .selectFrom('AuditChain')
    .select(['length', 'head'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

/**
 * Removes lines that were written before a moment, from the beginning of their chains: a line stays as long as one before it does.
 * The chains note where they begin then.
 */
export function forgetLines(em: EntityManager, before: Date): Promise<void> {
  return em.transactional(async (em) => {
    const removed = await em.kysely
      .deleteFrom('AuditEntry')
      .where('at', '<', before)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('AuditEntry as earlier')
              .select('earlier.id')
              .whereRef('earlier.position', '<', 'AuditEntry.position')
              .where(sql<boolean>`earlier.organization_id is not distinct from audit_log.organization_id`)
              .where('earlier.at', '>=', before),
          ),
        ),
      )
      .returning(['organizationId', 'position', 'hash'])
      .execute();
    const last = new Map<string, { position: number; hash: string }>();
    for (const { organizationId, position, hash } of removed) {
      const id = organizationId ?? ofInstallation;
      if (position !== null && hash !== null && position > (last.get(id)?.position ?? 0))
        last.set(id, { position, hash });
    }
    for (const [id, { position, hash }] of last) {
      const kept = { keptFrom: position + 1, keptAfter: hash };
      await em.kysely.updateTable('AuditChain').set(kept).where('id', '=', id).execute();
    }
  });
}

export interface ChainReport {
  /** Null: lines of no organization. */
  organizationId: string | null;
  /** Lines that were checked: all that are kept, up to a break. */
  lines: number;
  /** Lines whose details were erased with a person; the rest of them was checked. */
  erased: number;
  /** The hash of the last line: note it elsewhere, and a later check tells whether this line is still there. */
  head: string;
  /** Whether the noted hash is in the chain. */
  hasNoted: boolean;
  broken: ChainBreak | undefined;
}

const linesPerPage = 1_000;

/**
 * Checks the chains of one organization, or of all, as of one moment: the transaction of the caller must be a snapshot.
 * @param noted a hash that an earlier check printed.
 */
export async function* checkChains(
  em: EntityManager,
  { organizationId, noted }: { organizationId?: string | undefined; noted?: string | undefined },
): AsyncGenerator<ChainReport> {
  let query = em.kysely.selectFrom('AuditChain').selectAll().orderBy('id');
  if (organizationId !== undefined) query = query.where('id', '=', organizationId);
  for (const { id, ...ends } of await query.execute()) {
    const owner = id === ofInstallation ? null : id;
    const check = new ChainCheck(ends satisfies ChainEnds, noted);
    let broken: ChainBreak | undefined;
    // Of positions that are twice, the second is reported: pages go on by id too.
    let after = { position: 0, id: ofInstallation };
    for (let isLast = false; !isLast && broken === undefined;) {
      const page = await readPage(em, owner, after);
      for (const line of page) broken ??= check.follow(line);
      isLast = page.length < linesPerPage;
      after = page.at(-1) ?? after;
    }
    const { lines, erased, hasNoted } = check;
    yield { organizationId: owner, lines, erased, head: ends.head, hasNoted, broken: broken ?? check.end() };
  }
}

function readPage(
  em: EntityManager,
  organizationId: string | null,
  after: { position: number; id: string },
): Promise<SealedLine[]> {
  return em.kysely
    .selectFrom('AuditEntry')
    .select([...fields, 'position', 'salt', 'detailsHash', 'hash'])
    .where('organizationId', organizationId === null ? 'is' : '=', organizationId)
    .where('position', 'is not', null)
    .where(({ eb, refTuple, tuple }) => eb(refTuple('position', 'id'), '>', tuple(after.position, after.id)))
    .orderBy('position')
    .orderBy('id')
    .limit(linesPerPage)
    .$narrowType<{ position: number; detailsHash: string; hash: string }>()
    .execute();
}
