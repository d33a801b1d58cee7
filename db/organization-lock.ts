import type { Sql } from './database.ts';

/**
 * Locks an organization's row until the end of the transaction: whoever counts against a quota, or moves a role that one
 * row has, does so one after the other. Rows that merely refer to the organization are inserted meanwhile.
 */
export async function lockOrganization(tx: Sql, organizationId: string): Promise<void> {
  await tx.query('select 1 from organizations where id = $1 for no key update', [organizationId]);
}
