import type { Plan } from '#core/organizations/plans.ts';
import type { Role } from '#core/organizations/permissions.ts';
import type { Sql } from '#db/connection/database.ts';

/** A live session, with the state of its user and organization that decides about a call. */
export interface SessionRow {
  id: string;
  userId: string;
  email: string;
  organizationId: string;
  role: Role;
  plan: Plan;
  isSuspended: boolean;
  /** Whether the user may use the internal tools. */
  isStaff: boolean;
  /** Whether its last use was stored so long ago that this one must be stored. */
  isStale: boolean;
}

/** An organization as its members see it. */
interface OwnOrganization {
  id: string;
  name: string;
  plan: Plan;
  role: Role;
}

/** A session's user and organization. */
export interface SessionView {
  user: { id: string; email: string; name: string; isStaff: boolean; organizations: OwnOrganization[] };
  organization: OwnOrganization;
}

/** A session ends this many days after its last use. */
export const sessionDays = 30;
const endsAt = `now() + interval '${sessionDays} days'`;
const notedEvery = `interval '1 hour'`;

/** Finds a live session by the SHA-256 of its token; its user must be a member of its organization. */
export async function findSession(sql: Sql, tokenHash: Buffer): Promise<SessionRow | undefined> {
  const { rows } = await sql.query<SessionRow>({
    name: 'find-session',
    text: `
      select s.id, s.user_id as "userId", u.email, s.organization_id as "organizationId", m.role, o.plan,
        o.suspended_at is not null as "isSuspended", u.is_staff as "isStaff",
        s.last_seen_at < now() - ${notedEvery} as "isStale"
      from sessions s
      join users u on u.id = s.user_id
      join organizations o on o.id = s.organization_id
      join memberships m on m.organization_id = s.organization_id and m.user_id = s.user_id
      where s.token_hash = $1 and s.expires_at > now() and u.deleted_at is null and o.deleted_at is null`,
    values: [tokenHash],
  });
  return rows[0];
}

/** Stores the use of a session, which then lasts its full time again. */
export async function touchSession(sql: Sql, id: string): Promise<void> {
  await sql.query(`update sessions set last_seen_at = now(), expires_at = ${endsAt} where id = $1`, [id]);
}

/** Inserts a session. */
export async function insertSession(
  tx: Sql,
  session: { id: string; tokenHash: Buffer; userId: string; organizationId: string },
): Promise<void> {
  const { id, tokenHash, userId, organizationId } = session;
  await tx.query(
    `insert into sessions (id, token_hash, user_id, organization_id, expires_at) values ($1, $2, $3, $4, ${endsAt})`,
    [id, tokenHash, userId, organizationId],
  );
}

/** Moves a session to another organization of its user. */
export async function setSessionOrganization(tx: Sql, id: string, organizationId: string): Promise<void> {
  await tx.query('update sessions set organization_id = $2 where id = $1', [id, organizationId]);
}

/** Ends one session. */
export async function deleteSession(sql: Sql, id: string): Promise<void> {
  await sql.query('delete from sessions where id = $1', [id]);
}

/** Ends the session with this token, if there is one. */
export async function deleteSessionByToken(tx: Sql, tokenHash: Buffer): Promise<void> {
  await tx.query('delete from sessions where token_hash = $1', [tokenHash]);
}

/** Ends the sessions of a user except one, in one organization or (null) in all. @returns how many. */
export async function deleteSessionsOf(
  tx: Sql,
  userId: string,
  { organizationId = null, keepId = null }: { organizationId?: string | null; keepId?: string | null | undefined } = {},
): Promise<number> {
  const { rowCount } = await tx.query(
    `delete from sessions where user_id = $1 and ($2::uuid is null or organization_id = $2) and id is distinct from $3::uuid`,
    [userId, organizationId, keepId],
  );
  return rowCount ?? 0;
}

/** Reads a session's user and organization. */
export async function readSession(sql: Sql, id: string): Promise<SessionView | undefined> {
  const { rows } = await sql.query<SessionView>(
    `select json_build_object('id', u.id, 'email', u.email, 'name', u.name, 'isStaff', u.is_staff, 'organizations',
        (select json_agg(json_build_object('id', x.id, 'name', x.name, 'plan', x.plan, 'role', y.role)
           order by y.created_at, x.id)
         from memberships y join organizations x on x.id = y.organization_id
         where y.user_id = u.id and x.deleted_at is null)) as "user",
      json_build_object('id', o.id, 'name', o.name, 'plan', o.plan, 'role', m.role) as organization
     from sessions s
     join users u on u.id = s.user_id
     join organizations o on o.id = s.organization_id
     join memberships m on m.organization_id = s.organization_id and m.user_id = s.user_id
     where s.id = $1`,
    [id],
  );
  return rows[0];
}

/** Removes sessions that have ended. */
export async function forgetEndedSessions(sql: Sql): Promise<void> {
  await sql.query('delete from sessions where expires_at <= now()');
}
