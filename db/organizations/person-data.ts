import type { Sql } from '#db/connection/database.ts';

/** A person's account, without its password. */
interface PersonRow {
  id: string;
  email: string;
  name: string;
  isStaff: boolean;
  hasPassword: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** Finds a person by their normalised e-mail; `for update` locks the account. */
export async function findPerson(
  sql: Sql,
  email: string,
  lock: '' | 'for update' = '',
): Promise<PersonRow | undefined> {
  const { rows } = await sql.query<PersonRow>(
    `select id, email, name, is_staff as "isStaff", password_hash is not null as "hasPassword",
       created_at as "createdAt", updated_at as "updatedAt"
     from users where email = $1 and type = 'human' and deleted_at is null ${lock}`,
    [email],
  );
  return rows[0];
}

/** SQL: the data about a person (`$1`) besides the account, by section; one JSON value a row. */
const sections = {
  organizations: `
    select jsonb_build_object('id', o.id, 'name', o.name, 'role', m.role, 'joinedAt', m.created_at) as data
    from memberships m join organizations o on o.id = m.organization_id where m.user_id = $1 order by m.created_at, o.id`,
  sessions: `
    select jsonb_build_object('id', id, 'organizationId', organization_id, 'createdAt', created_at, 'lastSeenAt', last_seen_at,
      'expiresAt', expires_at) as data
    from sessions where user_id = $1 order by created_at`,
  apiKeys: `
    select jsonb_build_object('id', id, 'organizationId', organization_id, 'name', name, 'permissions', permissions, 'last4', last4,
      'createdAt', created_at, 'lastUsedAt', last_used_at, 'revokedAt', deleted_at) as data
    from api_keys where user_id = $1 order by created_at`,
  calls: `
    select jsonb_build_object('organizationId', organization_id, 'route', route, 'idempotencyKey', key, 'createdAt', created_at) as data
    from idempotency_keys
    where caller = any(array['user:' || $1::uuid] || array(select 'key:' || k.id from api_keys k where k.user_id = $1))`,
  imports: `
    select jsonb_build_object('id', id, 'organizationId', organization_id, 'format', format, 'state', state, 'rows', total,
      'createdAt', created_at) as data
    from imports where created_by = $1 order by created_at`,
  auditLog: `
    select jsonb_build_object('at', at, 'lastAt', coalesce(last_at, at), 'count', count, 'action', action,
      'organizationId', organization_id, 'subjectId', subject_id, 'details', details) as data
    from audit_log where user_id = $1 or subject_id = $1 or details::text ~* $2 order by id`,
  links: `
    select jsonb_build_object('id', l.id, 'organizationId', l.organization_id, 'domain', d.domain, 'slug', l.slug,
      'createdAt', l.created_at) as data
    from short_links l join domains d on d.id = l.domain_id where l.created_by = $1 and l.deleted_at is null`,
} as const;

type PersonSection = keyof typeof sections;

/** Names of the sections, in the order of the export. */
export const personSections = Object.keys(sections) as PersonSection[];

/** SQL that reads a section. @param person their id and e-mail. */
export function sectionStatement(
  section: PersonSection,
  { id, email }: Pick<PersonRow, 'id' | 'email'>,
): { text: string; values: string[] } {
  return { text: sections[section], values: section === 'auditLog' ? [id, emailPattern(email)] : [id] };
}

/** A regular expression of PostgreSQL that finds an e-mail address as a whole word. */
function emailPattern(email: string): string {
  const literal = email.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&');
  return `(?<![a-z0-9._%+'-])${literal}(?![a-z0-9-]|\\.[a-z0-9])`;
}

/** Removes everything from an account that identifies its person; the row stays, since links refer to it. */
export async function anonymizeUser(tx: Sql, id: string, now: Date): Promise<void> {
  await tx.query(
    `update users set email = null, name = 'Erased person', password_hash = null, is_staff = false, updated_at = $2,
       deleted_at = $2 where id = $1`,
    [id, now],
  );
  await tx.query('delete from memberships where user_id = $1', [id]);
  await tx.query(
    `delete from idempotency_keys
     where caller = any(array['user:' || $1::uuid] || array(select 'key:' || k.id from api_keys k where k.user_id = $1))`,
    [id],
  );
  await tx.query(`update api_keys set name = 'Erased' where user_id = $1`, [id]);
}

/**
 * Replaces a person's e-mail in all lines of the audit log, and their name in recorded search terms.
 * @returns how many lines changed.
 */
export async function eraseFromAudit(tx: Sql, email: string, name: string | undefined): Promise<number> {
  const { rowCount } = await tx.query(
    `update audit_log set details = regexp_replace(details::text, $1, 'erased', 'gi')::jsonb where details::text ~* $1`,
    [emailPattern(email)],
  );
  if (name === undefined) return rowCount ?? 0;
  const named = await tx.query(
    `update audit_log set details = details || '{"search":"erased"}' where position(lower($1) in lower(details ->> 'search')) > 0`,
    [name],
  );
  return (rowCount ?? 0) + (named.rowCount ?? 0);
}

/** Finds organizations whose only owner is a person, and locks their memberships against changes. */
export async function lockSoleOwnerships(tx: Sql, userId: string): Promise<{ id: string; name: string }[]> {
  await tx.query(
    `select 1 from organizations where id in (select organization_id from memberships where user_id = $1)
     order by id for no key update`,
    [userId],
  );
  const { rows } = await tx.query<{ id: string; name: string }>(
    `select o.id, o.name from memberships m join organizations o on o.id = m.organization_id
     where m.user_id = $1 and m.role = 'owner' and o.deleted_at is null and not exists (
       select from memberships x join users u on u.id = x.user_id
       where x.organization_id = o.id and x.role = 'owner' and x.user_id <> $1 and u.deleted_at is null)
     order by o.id`,
    [userId],
  );
  return rows;
}
