import type { Plan } from '#core/organizations/plans.ts';
import type { Sql } from '#db/connection/database.ts';

/** An organization as the staff see it. */
export interface StaffOrganizationRow {
  id: string;
  name: string;
  plan: Plan;
  suspendedAt: Date | null;
  honoursGpc: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/** Counts of an organization's rows. */
interface OrganizationCounts {
  members: number;
  apiKeys: number;
  shortLinks: number;
  domains: number;
  webhooks: number;
}

/** SQL: columns of organizations `o` that form a `StaffOrganizationRow`. */
export const organizationColumns = `o.id, o.name, o.plan, o.suspended_at as "suspendedAt", o.honours_gpc as "honoursGpc", o.created_at as "createdAt",
  o.updated_at as "updatedAt"`;

/** Reads a live organization, suspended ones too. */
export async function readOrganization(sql: Sql, id: string): Promise<StaffOrganizationRow | undefined> {
  const { rows } = await sql.query<StaffOrganizationRow>(
    `select ${organizationColumns} from organizations o where o.id = $1 and o.deleted_at is null`,
    [id],
  );
  return rows[0];
}

/** Counts an organization's rows. */
export async function readOrganizationCounts(sql: Sql, id: string): Promise<OrganizationCounts> {
  const { rows } = await sql.query<OrganizationCounts>(
    `select
       (select count(*) from memberships m join users u on u.id = m.user_id
         where m.organization_id = $1 and u.type = 'human' and u.deleted_at is null) as members,
       (select count(*) from api_keys where organization_id = $1 and deleted_at is null) as "apiKeys",
       (select coalesce(sum(links), 0)::bigint from link_totals where organization_id = $1) as "shortLinks",
       (select count(*) from domains where organization_id = $1 and deleted_at is null) as domains,
       (select count(*) from webhooks where organization_id = $1 and deleted_at is null) as webhooks`,
    [id],
  );
  return rows[0]!;
}

/**
 * Changes a live organization, and the stamp that makes every process read its keys again. A second suspension keeps the moment
 * of the first. @returns the organization, if it exists.
 */
export async function updateOrganization(
  tx: Sql,
  id: string,
  change: { plan: Plan } | { suspendedAt: Date | null } | { honoursGpc: boolean },
): Promise<StaffOrganizationRow | undefined> {
  const [assignment, value] =
    'plan' in change
      ? ['plan = $2', change.plan]
      : 'honoursGpc' in change
        ? ['honours_gpc = $2', change.honoursGpc]
        : [
            'suspended_at = case when $2::timestamptz is not null then coalesce(o.suspended_at, $2) end',
            change.suspendedAt,
          ];
  // At least a millisecond later than the last change: the stamp is no finer.
  const { rows } = await tx.query<StaffOrganizationRow>(
    `update organizations o
     set ${assignment}, updated_at = greatest(clock_timestamp(), o.updated_at + interval '1 millisecond')
     where o.id = $1 and o.deleted_at is null returning ${organizationColumns}`,
    [id, value],
  );
  return rows[0];
}

/** Ids of the domains that an organization's links may be on: its own and the platform's. */
export async function readUsableDomainIds(sql: Sql, organizationId: string): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    'select id from domains where (organization_id = $1 or organization_id is null) and deleted_at is null',
    [organizationId],
  );
  return rows.map(({ id }) => id);
}

/** Ids of an organization's webhooks. */
export async function readWebhookIds(sql: Sql, organizationId: string): Promise<string[]> {
  const { rows } = await sql.query<{ id: string }>(
    'select id from webhooks where organization_id = $1 and deleted_at is null',
    [organizationId],
  );
  return rows.map(({ id }) => id);
}
