import type { Plan } from '#core/organizations/plans.ts';
import type { Role } from '#core/organizations/permissions.ts';
import type { Sql } from '#db/connection/database.ts';
import { Repository } from '#db/connection/repository.ts';
import type { ConnectedApp } from '#db/entities/accounts/connected-apps.ts';

/** The person and organization for which an access token acts. */
export interface AppTokenRow {
  appId: string;
  /** What history and audit log call it. */
  name: string;
  userId: string;
  organizationId: string;
  role: Role;
  plan: Plan;
  isSuspended: boolean;
  suspensionReason: string | null;
}

const shownAtMost = 100;

/**
 * Finds the live app of an access token by the hash of its value; its person must be a member of its organization. Every use of a token reads it, so that
 * a disconnected app is noticed with the next call.
 */
// By hand: every call of a tool with a token runs it before the route, as `findSession` with a session.
export async function findAppToken(sql: Sql, tokenHash: string): Promise<AppTokenRow | undefined> {
  const { rows } = await sql.query<AppTokenRow>({
    name: 'find-app-token',
    text: `
      select a.id as "appId", a.name, a.user_id as "userId", a.organization_id as "organizationId", m.role, o.plan,
        o.suspended_at is not null as "isSuspended", o.suspension_reason as "suspensionReason"
      from oauth_records r
      join connected_apps a on a.id = r.app_id
      join users u on u.id = a.user_id
      join organizations o on o.id = a.organization_id
      join memberships m on m.organization_id = a.organization_id and m.user_id = a.user_id
      where r.kind = 'AccessToken' and r.id_hash = $1 and r.expires_at > now() and a.expires_at > now()
        and u.deleted_at is null and o.deleted_at is null
        and (not a.is_by_provider or exists (
          select from oidc_providers p join domains d on d.organization_id = p.organization_id and d.domain = p.email_domain
          where p.organization_id = a.organization_id and d.is_verified and d.deleted_at is null))`,
    values: [tokenHash],
  });
  return rows[0];
}

/** Connected apps: `em.getRepository(ConnectedApp)`. */
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
