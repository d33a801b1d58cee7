import { LockMode, raw } from '@mikro-orm/postgresql';
import type { ReportResolution } from '#core/links/report.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { LinkReport } from '#db/entities/links/link-records.ts';
import { containing } from '#db/connection/lists/paging.ts';
import { enqueue } from '#db/outbox.ts';
import { requeueFound } from '#db/outbox-rows.ts';
import type { StaffListQuery } from '#db/organizations/staff-lists.ts';

/** Finds reports of links that exist, with their short addresses. */
export function listReportTargets(em: EntityManager, ids: readonly string[]) {
  return em.kysely
    .selectFrom('LinkReport as r')
    .innerJoin('ShortLink as l', 'l.id', 'r.linkId')
    .innerJoin('Domain as d', 'd.id', 'l.domain')
    .select(['r.id', 'r.organizationId as organizationId', 'r.linkId as linkId', 'd.domain', 'l.slug'])
    .where('r.id', 'in', ids)
    .execute();
}

/**
 * Enqueues open reports that have grown since their workflow was last asked to look at them, and each once an hour: Temporal may
 * have lost the workflow. @returns how many.
 */
export function requeueOpenReports(em: EntityManager, limit: number): Promise<number> {
  return requeueFound(em, 'link-report', async (em) => {
    const rows = await em.find(
      LinkReport,
      { closedAt: null, $or: [{ handledAt: null }, { handledAt: { $lt: raw(`now() - interval '1 hour'`) } }] },
      { fields: ['id'], orderBy: { reportedAt: 'asc' }, limit, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE },
    );
    await em.nativeUpdate(LinkReport, { id: rows.map(({ id }) => id) }, { handledAt: raw('now()') });
    return rows;
  });
}

/** Lists reports, the most recent first. `search` finds slugs and domains; `isOpen` unset: all. */
export function listReports(
  em: EntityManager,
  { organizationId, cursor, limit, search, isOpen, id }: StaffListQuery & { isOpen?: boolean | undefined; id?: string },
) {
  let query = em.kysely
    .selectFrom('LinkReport as r')
    .leftJoin('ShortLink as l', 'l.id', 'r.linkId')
    .leftJoin('Domain as d', 'd.id', 'l.domain')
    .select(['r.id', 'r.organizationId as organizationId', 'r.linkId as linkId', 'd.domain', 'l.slug', 'l.isActive'])
    .select(['r.reports', 'r.notes'])
    .select(['r.createdAt', 'r.reportedAt', 'r.closedAt', 'r.closedBy', 'r.resolution'])
    .orderBy('r.id', 'desc')
    .limit(limit);
  if (id !== undefined) query = query.where('r.id', '=', id);
  if (organizationId !== undefined) query = query.where('r.organizationId', '=', organizationId);
  if (cursor !== undefined) query = query.where('r.id', '<', cursor);
  if (isOpen !== undefined) query = query.where('r.closedAt', isOpen ? 'is' : 'is not', null);
  if (search !== undefined) {
    const pattern = containing(search);
    query = query.where(({ eb, or }) => or([eb('l.slug', 'ilike', pattern), eb('d.domain', 'ilike', pattern)]));
  }
  return query.execute();
}

/** A report as the staff see it, with the link's short address; null where the link has been removed. */
export type StaffReport = Awaited<ReturnType<typeof listReports>>[number];

/** Closes an open report, and enqueues it: its workflow ends. @returns whether it was open. */
export async function closeReport(
  em: EntityManager,
  id: string,
  { resolution, userId, now }: { resolution: ReportResolution; userId: string; now: Date },
): Promise<boolean> {
  const changed = await em.nativeUpdate(
    LinkReport,
    { id, closedAt: null },
    { closedAt: now, closedBy: userId, resolution },
  );
  if (changed > 0) await enqueue(em, 'link-report', [id]);
  return changed > 0;
}
