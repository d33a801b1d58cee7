import { sql } from 'kysely';
import { searchTerm } from '#core/links/search-text.ts';
import { searchTerms } from '#core/domains/name.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Domain } from '#db/entities/domains.ts';
import { File } from '#db/entities/files.ts';
import { ApiKey, type Organization } from '#db/entities/accounts/people.ts';
import type { HeldKey } from './api-keys.ts';
import { containing } from '#db/connection/lists/paging.ts';

/**
 * Lists of the internal tools, over all organizations or within one. A page begins after the last row of the page before, so
 * that no row is repeated or skipped while rows come and go. Each list returns up to `limit` rows after the cursor.
 */

export interface StaffListQuery {
  /** Last row of the page before, in most lists by its id. */
  cursor?: string | undefined;
  limit: number;
  organizationId?: string | undefined;
  /** Taken literally, without regard to case. */
  search?: string | undefined;
}

export type StaffOrganization = Omit<Organization, 'deletedAt' | 'change'>;

/** Lists organizations, the most recent first; `search` finds names and the e-mail addresses of members. */
export function listOrganizations(
  em: EntityManager,
  { organizationId, cursor, search, limit }: StaffListQuery,
): Promise<StaffOrganization[]> {
  let query = em.kysely
    .selectFrom('Organization as o')
    .select(['o.id', 'o.name', 'o.plan', 'o.suspendedAt', 'o.suspensionReason', 'o.honoursGpc', 'o.threatPolicy'])
    .select(['o.createdAt', 'o.updatedAt'])
    .where('o.deletedAt', 'is', null)
    .orderBy('o.id', 'desc')
    .limit(limit);
  if (organizationId !== undefined) query = query.where('o.id', '=', organizationId);
  if (cursor !== undefined) query = query.where('o.id', '<', cursor);
  if (search !== undefined) {
    const pattern = containing(search);
    query = query.where(({ eb, exists, or, selectFrom }) =>
      or([
        eb('o.name', 'ilike', pattern),
        exists(
          selectFrom('Membership as m')
            .innerJoin('User as u', 'u.id', 'm.user')
            .select('u.id')
            .whereRef('m.organization', '=', 'o.id')
            .where('u.deletedAt', 'is', null)
            .where('u.email', 'ilike', pattern),
        ),
      ]),
    );
  }
  return query.execute();
}

/**
 * Lists members, by organization and then by the age of their accounts; `search` finds e-mail addresses and names.
 * @param query its cursor is the last row's organization and user, joined by a dot.
 */
export function listMembers(em: EntityManager, { organizationId, cursor, search, limit }: StaffListQuery) {
  let query = em.kysely
    .selectFrom('Membership as m')
    .innerJoin('User as u', 'u.id', 'm.user')
    .innerJoin('Organization as o', 'o.id', 'm.organization')
    .select(['m.organization as organizationId', 'u.id as userId', 'u.name', 'm.role', 'u.isStaff', 'm.createdAt'])
    .select((eb) => eb.ref('u.email').$notNull().as('email'))
    .where('u.type', '=', 'human')
    .where('u.deletedAt', 'is', null)
    .where('o.deletedAt', 'is', null)
    .orderBy('m.organization')
    .orderBy('m.user')
    .limit(limit);
  if (organizationId !== undefined) query = query.where('m.organization', '=', organizationId);
  const [lastOrganization, lastUser] = cursor?.split('.') ?? [];
  if (lastOrganization !== undefined && lastUser !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('m.organization', 'm.user'), '>', tuple(lastOrganization, lastUser)),
    );
  }
  if (search !== undefined) {
    const pattern = containing(search);
    query = query.where(({ eb, or }) => or([eb('u.email', 'ilike', pattern), eb('u.name', 'ilike', pattern)]));
  }
  return query.execute();
}

/** Lists people, the most recent account first; `search` finds e-mail addresses and names. */
export function listPeople(em: EntityManager, { organizationId, cursor, search, limit }: StaffListQuery) {
  let query = em.kysely
    .selectFrom('User as u')
    .select(['u.id', 'u.name', 'u.isStaff', 'u.createdAt'])
    .select((eb) => eb.ref('u.email').$notNull().as('email'))
    .select((eb) =>
      eb
        .selectFrom('Session as s')
        .select(({ fn }) => fn.max('s.lastSeenAt').as('at'))
        .whereRef('s.user', '=', 'u.id')
        .as('lastSeenAt'),
    )
    .select(({ selectFrom }) =>
      selectFrom('Membership as m')
        .innerJoin('Organization as o', 'o.id', 'm.organization')
        .whereRef('m.user', '=', 'u.id')
        .where('o.deletedAt', 'is', null)
        .select(({ ref }) => sql<string[]>`coalesce(array_agg(${ref('o.id')} order by ${ref('o.id')}), '{}')`.as('ids'))
        .$asScalar()
        .$notNull()
        .as('organizationIds'),
    )
    .where('u.type', '=', 'human')
    .where('u.deletedAt', 'is', null)
    .orderBy('u.id', 'desc')
    .limit(limit);
  if (organizationId !== undefined) {
    query = query.where(({ exists, selectFrom }) =>
      exists(
        selectFrom('Membership as m')
          .select('m.role')
          .whereRef('m.user', '=', 'u.id')
          .where('m.organization', '=', organizationId),
      ),
    );
  }
  if (cursor !== undefined) query = query.where('u.id', '<', cursor);
  if (search !== undefined) {
    const pattern = containing(search);
    query = query.where(({ eb, or }) => or([eb('u.email', 'ilike', pattern), eb('u.name', 'ilike', pattern)]));
  }
  return query.execute();
}

export type PersonRow = Awaited<ReturnType<typeof listPeople>>[number];

/** Lists live API keys, the most recent first; `search` finds names. */
export async function listKeys(
  em: EntityManager,
  { organizationId, cursor, search, limit }: StaffListQuery,
): Promise<HeldKey[]> {
  const keys = em.getRepository(ApiKey);
  const found = await keys.find(
    {
      organization: { deletedAt: null, ...(organizationId !== undefined && { id: organizationId }) },
      ...(cursor !== undefined && { id: { $lt: cursor } }),
      ...(search !== undefined && { name: { $ilike: containing(search) } }),
    },
    { orderBy: { id: 'desc' }, limit },
  );
  return keys.withRoles(found);
}

/**
 * Finds links: within an organization by date of creation, over all of them by id, newest first; the two differ only for
 * imported links, and each order has an index. `search` finds slugs, short URLs, destinations and titles.
 * @param query its cursor is the last row's date of creation, in milliseconds, and its id, joined by a dot.
 */
export function searchLinks(
  em: EntityManager,
  { organizationId, cursor, search, limit }: StaffListQuery,
): Promise<{ id: string; createdAt: Date }[]> {
  const [createdAtMs, id] = cursor?.split('.') ?? [];
  let query = em.kysely
    .selectFrom('ShortLink as l')
    .select(['l.id', 'l.createdAt'])
    .where('l.deletedAt', 'is', null)
    // A deletion removes the rows of a deleted organization.
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('Organization as o')
          .select('o.id')
          .whereRef('o.id', '=', 'l.organization')
          .where('o.deletedAt', 'is', null),
      ),
    )
    .limit(limit);
  if (search !== undefined) query = query.where('l.searchText', 'like', containing(searchTerm(search)));
  if (organizationId === undefined) {
    query = query.orderBy('l.id', 'desc');
    return (id === undefined ? query : query.where('l.id', '<', id)).execute();
  }
  query = query.where('l.organization', '=', organizationId).orderBy('l.createdAt', 'desc').orderBy('l.id', 'desc');
  if (id === undefined) return query.execute();
  const last = new Date(Number(createdAtMs));
  return query.where(({ eb, refTuple, tuple }) => eb(refTuple('l.createdAt', 'l.id'), '<', tuple(last, id))).execute();
}

/** Lists domains, the most recent first, those of the platform too; `search` finds parts of names. */
export function listAllDomains(
  em: EntityManager,
  { organizationId, cursor, search, limit }: StaffListQuery,
): Promise<Domain[]> {
  const ofLiveOwner = { $or: [{ organization: null }, { organization: { deletedAt: null } }] };
  const named = searchTerms(search ?? '').map((term) => ({ domain: { $like: containing(term) } }));
  return em.find(
    Domain,
    {
      $and: [ofLiveOwner, ...(named.length === 0 ? [] : [{ $or: named }])],
      ...(organizationId !== undefined && { organization: organizationId }),
      ...(cursor !== undefined && { id: { $lt: cursor } }),
    },
    { orderBy: { id: 'desc' }, limit },
  );
}

// A public address, or the random part of it.
const urlKeyPattern = /(?:^|\/)([0-9a-f]{32})$/;

/** Lists files, the most recent first; `search` finds parts of names, and public addresses. */
export function listAllFiles(
  em: EntityManager,
  { organizationId, cursor, search, limit }: StaffListQuery,
): Promise<File[]> {
  const urlKey = search === undefined ? undefined : urlKeyPattern.exec(search)?.[1];
  const named = search === undefined ? {} : { name: { $ilike: containing(search) } };
  return em.find(
    File,
    {
      organization: { deletedAt: null, ...(organizationId !== undefined && { id: organizationId }) },
      ...(urlKey === undefined ? named : { urlKey }),
      ...(cursor !== undefined && { id: { $lt: cursor } }),
    },
    { orderBy: { id: 'desc' }, limit },
  );
}
