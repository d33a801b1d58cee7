import { sql } from 'kysely';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Repository } from '#db/connection/repository.ts';
import type { ConnectedApp } from '#db/entities/accounts/connected-apps.ts';

/** The person and organization for which an access token acts. `name`: what history and audit log call the app. */
export type AppTokenRow = NonNullable<Awaited<ReturnType<typeof findAppToken>>>;

const shownAtMost = 100;

/**
 * Finds the live app of an access token by the hash of its value; its person must be a member of its organization. Every use of a token reads it, so that
 * a disconnected app is noticed with the next call.
 */
export function findAppToken({ kysely }: EntityManager, tokenHash: string) {
  const now = sql<Date>`now()`;
  return kysely
    .selectFrom('OauthRecord as r')
    .innerJoin('ConnectedApp as a', 'a.id', 'r.app')
    .innerJoin('User as u', 'u.id', 'a.user')
    .innerJoin('Organization as o', 'o.id', 'a.organization')
    .innerJoin('Membership as m', (on) =>
      on.onRef('m.organization', '=', 'a.organization').onRef('m.user', '=', 'a.user'),
    )
    .select([
      'a.name',
      'a.user as userId',
      'a.organization as organizationId',
      'm.role',
      'o.plan',
      'o.suspensionReason',
    ])
    .select(({ eb }) => eb('o.suspendedAt', 'is not', null).$castTo<boolean>().as('isSuspended'))
    .where('r.kind', '=', 'AccessToken')
    .where('r.idHash', '=', tokenHash)
    .where('r.expiresAt', '>', now)
    .where('a.expiresAt', '>', now)
    .where('u.deletedAt', 'is', null)
    .where('o.deletedAt', 'is', null)
    .where(({ eb, exists, or, selectFrom }) =>
      or([
        eb('a.isByProvider', '=', false),
        exists(
          selectFrom('OidcProvider as p')
            .innerJoin('Domain as d', (on) =>
              on.onRef('d.organization', '=', 'p.organization').onRef('d.domain', '=', 'p.emailDomain'),
            )
            .select('p.issuer')
            .whereRef('p.organization', '=', 'a.organization')
            .where('d.isVerified', '=', true)
            .where('d.deletedAt', 'is', null),
        ),
      ]),
    )
    .executeTakeFirst();
}

export class ConnectedAppRepository extends Repository<ConnectedApp> {
  /** Live apps of a person, the last used first. @param organizationId undefined: in all organizations. */
  listOf(userId: string, now: Date, organizationId?: string): Promise<ConnectedApp[]> {
    return this.find(
      { user: userId, expiresAt: { $gt: now }, ...(organizationId !== undefined && { organization: organizationId }) },
      { populate: ['organization'], orderBy: { lastUsedAt: 'desc', id: 'desc' }, limit: shownAtMost },
    );
  }

  /** Ends the apps of a person, in one organization or in all. */
  async endAllOf(userId: string, organizationId?: string): Promise<void> {
    await this.nativeDelete({ user: userId, ...(organizationId !== undefined && { organization: organizationId }) });
  }

  /** Apps of a person that were used the longest ago, beyond `most`. */
  listOldest(userId: string, most: number): Promise<ConnectedApp[]> {
    return this.find(
      { user: userId },
      { orderBy: { lastUsedAt: 'desc', id: 'desc' }, offset: most, limit: shownAtMost },
    );
  }
}
