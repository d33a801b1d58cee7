import { sql } from 'kysely';

/** Kysely: the e-mail of the first owner of an organization `o`; null: none has one. */
export const ownerEmail = sql<string | null>`(select u.email from memberships m join users u on u.id = m.user_id
  where m.organization_id = o.id and m.role = 'owner' order by m.created_at limit 1)`.as('email');
