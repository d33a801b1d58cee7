import type { Role } from '#core/organizations/permissions.ts';
import type { Sql } from '#db/connection/database.ts';

/** A person with their password's hash; null where they have no password. */
export interface Credentials {
  id: string;
  passwordHash: string | null;
}

/** Finds a person by their normalised e-mail. */
export async function findCredentials(sql: Sql, email: string): Promise<Credentials | undefined> {
  const { rows } = await sql.query<Credentials>({
    name: 'find-credentials',
    text: `select id, password_hash as "passwordHash" from users
      where email = $1 and type = 'human' and deleted_at is null`,
    values: [email],
  });
  return rows[0];
}

/** Checks that a person still has the password with this hash, and locks it until the end of the transaction. */
export async function lockCredentials(tx: Sql, { id, passwordHash }: Credentials): Promise<boolean> {
  const { rowCount } = await tx.query(
    'select from users where id = $1 and password_hash = $2 and deleted_at is null for share',
    [id, passwordHash],
  );
  return rowCount === 1;
}

/** Inserts a user; a bot has neither e-mail nor password. */
export async function insertUser(
  tx: Sql,
  user: {
    id: string;
    type: 'human' | 'bot';
    name: string;
    email?: string;
    passwordHash?: string;
    isStaff?: boolean | undefined;
  },
): Promise<void> {
  const { id, type, name, email = null, passwordHash = null, isStaff = false } = user;
  await tx.query('insert into users (id, type, name, email, password_hash, is_staff) values ($1, $2, $3, $4, $5, $6)', [
    id,
    type,
    name,
    email,
    passwordHash,
    isStaff,
  ]);
}

/**
 * Stores another hash of a user's password. @param before the hash that it replaces. Default: any.
 * @returns whether it did: the user exists and had the password with the hash `before`.
 */
export async function setPasswordHash(
  tx: Sql,
  userId: string,
  passwordHash: string,
  before: string | null = null,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update users set password_hash = $2, updated_at = now()
     where id = $1 and deleted_at is null and ($3::text is null or password_hash = $3)`,
    [userId, passwordHash, before],
  );
  return rowCount === 1;
}

/** Takes staff rights from the person with an e-mail. @returns their id. */
export async function unsetStaff(tx: Sql, email: string): Promise<string | undefined> {
  const { rows } = await tx.query<{ id: string }>(
    `update users set is_staff = false, updated_at = now()
     where email = $1 and type = 'human' and deleted_at is null returning id`,
    [email],
  );
  return rows[0]?.id;
}

/** Words about a person: e-mail, name, and the names of their organizations. */
export async function readOwnWords(sql: Sql, userId: string): Promise<string[]> {
  const { rows } = await sql.query<{ words: string[] }>(
    `select array_remove(array[u.email, u.name] || array(
       select o.name from memberships m join organizations o on o.id = m.organization_id
       where m.user_id = u.id and o.deleted_at is null limit 100), null) as words
     from users u where u.id = $1`,
    [userId],
  );
  return rows[0]?.words ?? [];
}

/** Makes a user a member of an organization. */
export async function insertMembership(
  tx: Sql,
  { organizationId, userId, role }: { organizationId: string; userId: string; role: Role },
): Promise<void> {
  await tx.query('insert into memberships (organization_id, user_id, role) values ($1, $2, $3)', [
    organizationId,
    userId,
    role,
  ]);
}

/** Reads a person's role in an organization. `lock` locks the membership. */
export async function readRole(
  sql: Sql,
  { organizationId, userId }: { organizationId: string; userId: string },
  lock: '' | 'for share of m' | 'for update of m' = '',
): Promise<Role | undefined> {
  const { rows } = await sql.query<{ role: Role }>(
    `select m.role from memberships m join users u on u.id = m.user_id
     where m.organization_id = $1 and m.user_id = $2 and u.type = 'human' and u.deleted_at is null ${lock}`,
    [organizationId, userId],
  );
  return rows[0]?.role;
}

/** Finds the organization's user named Bot. */
export async function findBot(sql: Sql, organizationId: string): Promise<string | undefined> {
  const { rows } = await sql.query<{ id: string }>(
    `select u.id from memberships m join users u on u.id = m.user_id
     where m.organization_id = $1 and u.type = 'bot' and u.deleted_at is null`,
    [organizationId],
  );
  return rows[0]?.id;
}

/** Ends a membership. */
export async function deleteMembership(
  tx: Sql,
  { organizationId, userId }: { organizationId: string; userId: string },
): Promise<void> {
  await tx.query('delete from memberships where organization_id = $1 and user_id = $2', [organizationId, userId]);
}

/** Counts an organization's owners. */
export async function countOwners(tx: Sql, organizationId: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `select count(*) as count from memberships where organization_id = $1 and role = 'owner'`,
    [organizationId],
  );
  return rows[0]!.count;
}

/** An organization that a person may work in. */
interface Workplace {
  organizationId: string;
  isSuspended: boolean;
}

/** Finds the organization that a person signs in to: the first that they joined, suspended ones last (2.8). */
export async function findFirstWorkplace(sql: Sql, userId: string): Promise<Workplace | undefined> {
  const { rows } = await sql.query<Workplace>(
    `select o.id as "organizationId", o.suspended_at is not null as "isSuspended"
     from memberships m join organizations o on o.id = m.organization_id
     where m.user_id = $1 and o.deleted_at is null
     order by o.suspended_at is not null, m.created_at, o.id limit 1`,
    [userId],
  );
  return rows[0];
}

/** Finds a live organization, and whether a person is its member. */
export async function findWorkplace(
  sql: Sql,
  organizationId: string,
  userId: string,
): Promise<(Workplace & { isMember: boolean }) | undefined> {
  const { rows } = await sql.query<Workplace & { isMember: boolean }>(
    `select o.id as "organizationId", o.suspended_at is not null as "isSuspended",
       exists (select from memberships m where m.organization_id = o.id and m.user_id = $2) as "isMember"
     from organizations o where o.id = $1 and o.deleted_at is null`,
    [organizationId, userId],
  );
  return rows[0];
}

/** Reads ids of a person's organizations, in order. */
export async function readOrganizationIdsOf(sql: Sql, userId: string): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    'select organization_id as id from memberships where user_id = $1 order by organization_id',
    [userId],
  );
  return rows.map(({ id }) => id);
}
