import { sql } from 'kysely';
import type { Plan } from '#core/organizations/plans.ts';
import type { Role } from '#core/organizations/permissions.ts';
import type { Sql } from '#db/connection/database.ts';
import { Repository } from '#db/connection/repository.ts';
import { ConnectedApp } from '#db/entities/accounts/connected-apps.ts';
import { Membership, Organization, type Session, StaffView } from '#db/entities/accounts/people.ts';

/** A live session, with the state of its user and organization that decides about a call. */
export interface SessionRow {
  id: string;
  userId: string;
  email: string;
  organizationId: string;
  role: Role;
  plan: Plan;
  isSuspended: boolean;
  /** What staff tell about the suspension. */
  suspensionReason: string | null;
  /** Whether the user may use the internal tools: never by the identity provider of an organization. */
  isStaff: boolean;
  /** Whether staff look at the organization, read-only: it is not the one in which the session works. */
  isViewing: boolean;
  /** Whether the person has shown in the last quarter of an hour that it is them. */
  isConfirmed: boolean;
  /** Whether a second factor opened or confirmed it. */
  hasSecondFactor: boolean;
  /** Whether a second factor did so in the last quarter of an hour. */
  hasFreshFactor: boolean;
  /** Whether the identity provider of its organization opened it. */
  isByProvider: boolean;
  /** Whether its last use was stored so long ago that this one must be stored. */
  isStale: boolean;
}

/** A session's user and organization, with the user's memberships, the first joined first. */
export interface SessionView {
  session: Session;
  /** The organization that staff look at by the session. */
  viewed: { organization: Organization; reason: string; until: Date } | null;
  memberships: Membership[];
}

/** A session ends this many days after its last use. */
export const sessionDays = 30;
// However often it is used. Staff see the data of all organizations.
const longestDays = 90;
const longestStaffHours = 12;
// People have a handful of devices.
const shownAtMost = 200;
const longest = `interval '${longestDays} days'`;
const longestForStaff = `interval '${longestStaffHours} hours'`;
/** So long after the last proof a person is not asked again. */
export const confirmedMinutes = 15;
const confirmedFor = `interval '${confirmedMinutes} minutes'`;
const notedEvery = `interval '1 hour'`;

/** When a session ends that was last used at a moment. */
export function endOf(lastUse: Date): Date {
  return new Date(lastUse.getTime() + sessionDays * 86_400_000);
}

/** Finds a live session by the SHA-256 of its token; its user must be a member of its organization. */
// By hand: every call with a session runs it before the route, as `findKey` with a key, and its seven tables cost Kysely 1.5 ms of CPU,
// by hand 0.1.
export async function findSession(sql: Sql, tokenHash: Buffer): Promise<SessionRow | undefined> {
  const { rows } = await sql.query<SessionRow>({
    name: 'find-session',
    text: `
      select s.id, s.user_id as "userId", u.email, coalesce(vo.id, o.id) as "organizationId", m.role,
        case when vo.id is null then o.plan else vo.plan end as plan,
        -- Staff look at suspended organizations too.
        vo.id is null and o.suspended_at is not null as "isSuspended", o.suspension_reason as "suspensionReason",
        u.is_staff and not s.is_by_provider as "isStaff", s.is_by_provider as "isByProvider", vo.id is not null as "isViewing",
        s.last_seen_at < now() - ${notedEvery} as "isStale",
        s.confirmed_at > now() - ${confirmedFor} as "isConfirmed", s.second_factor_at is not null as "hasSecondFactor",
        coalesce(s.second_factor_at > now() - ${confirmedFor}, false) as "hasFreshFactor"
      from sessions s
      join users u on u.id = s.user_id
      join organizations o on o.id = s.organization_id
      join memberships m on m.organization_id = s.organization_id and m.user_id = s.user_id
      left join staff_views v on v.session_id = s.id and v.until > now() and u.is_staff and not s.is_by_provider
      left join organizations vo on vo.id = v.organization_id and vo.deleted_at is null
      where s.token_hash = $1 and s.expires_at > now() and u.deleted_at is null and o.deleted_at is null
        -- A session by a provider ends with it, and with the organization's proof of the domain.
        and (not s.is_by_provider or exists (
          select from oidc_providers p join domains d on d.organization_id = p.organization_id and d.domain = p.email_domain
          where p.organization_id = s.organization_id and d.is_verified and d.deleted_at is null))
        and s.created_at > now() - case when u.is_staff then ${longestForStaff} else ${longest} end`,
    values: [tokenHash],
  });
  return rows[0];
}

export class SessionRepository extends Repository<Session> {
  /**
   * Live sessions of a user with their organizations, the last used first.
   * @param byProviderOf the organization whose identity provider opened them; undefined: all.
   */
  listOf(userId: string, now: Date, byProviderOf?: string): Promise<Session[]> {
    const opened = byProviderOf === undefined ? {} : { organization: byProviderOf, isByProvider: true };
    return this.find(
      { user: userId, expiresAt: { $gt: now }, ...opened },
      { populate: ['organization'], orderBy: { lastSeenAt: 'desc', id: 'desc' }, limit: shownAtMost },
    );
  }

  /** Stores the use of a session, which then lasts its full time again, but for the longest time since the sign-in. */
  async touch(id: string, now: Date): Promise<void> {
    await this.kysely
      .updateTable('Session')
      .set(({ fn, ref, val }) => ({
        lastSeenAt: now,
        expiresAt: fn<Date>('least', [val(endOf(now)), sql`${ref('createdAt')} + ${sql.raw(longest)}`]),
      }))
      .where('id', '=', id)
      .execute();
  }

  /** Ends the sessions of a user except one, and their connected apps, in one organization or in all. @returns how many sessions. */
  async endAllOf(
    userId: string,
    { organizationId, keepId }: { organizationId?: string | undefined; keepId?: string | undefined } = {},
  ): Promise<number> {
    await this.em.getRepository(ConnectedApp).endAllOf(userId, organizationId);
    return this.nativeDelete({
      user: userId,
      ...(organizationId !== undefined && { organization: organizationId }),
      ...(keepId !== undefined && { id: { $ne: keepId } }),
    });
  }

  /** Reads a session with its user, its organization, and the user's memberships in live organizations. */
  async view(id: string): Promise<SessionView | undefined> {
    const session = await this.findOne({ id }, { populate: ['user', 'organization'] });
    if (session === null) return undefined;
    const memberships = await this.em.find(
      Membership,
      {
        user: session.user.id,
        organization: session.isByProvider ? { deletedAt: null, id: session.organization.id } : { deletedAt: null },
      },
      { populate: ['organization'], orderBy: { createdAt: 'asc', organization: { id: 'asc' } } },
    );
    return { session, memberships, viewed: await this.#viewedBy(session) };
  }

  async #viewedBy({ id, user, isByProvider }: Session): Promise<SessionView['viewed']> {
    if (!user.isStaff || isByProvider) return null;
    const view = await this.em.findOne(StaffView, { session: id, until: { $gt: new Date() } });
    if (view === null) return null;
    const organization = await this.em.findOne(Organization, { id: view.organizationId });
    return organization && { organization, reason: view.reason, until: view.until };
  }
}
