import { hashPassword } from '#commands/accounts/passwords.ts';
import type { Actor } from '#core/audit/actor.ts';
import type { Shares } from '#api/shares.ts';

/**
 * Hashes the passwords of links before a transaction begins, one of the organization at a time.
 * @returns a hash for each row that sets a password, null for the others, in their order.
 * @throws AppError RATE_LIMIT_EXCEEDED where the organization has too much to hash.
 */
export function hashLinkPasswords(
  { hashing }: Shares,
  { organizationId }: Actor,
  rows: readonly { password?: string | null | undefined }[],
): Promise<(string | null)[]> {
  return Promise.all(
    rows.map(async ({ password }) => (password ? hashing(organizationId, () => hashPassword(password)) : null)),
  );
}
