import { hashPassword } from '#commands/accounts/passwords.ts';
import type { Actor } from '#core/organizations/actor.ts';
import { invalidFields } from '#core/errors/errors.ts';
import type { Shares } from '#api/shares.ts';

/** Most passwords in one call: 10 hashes take a quarter of a second of one processor. */
const maxPasswords = 10;

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

/** @param rows of a bulk call, not yet validated. @throws AppError VALIDATION_ERROR where too many set a password. */
export function limitPasswords(rows: readonly unknown[]): void {
  const setting = rows.flatMap((row, index) => (setsPassword(row) ? index : []));
  if (setting.length <= maxPasswords) return;
  throw invalidFields([
    {
      path: `links.${setting[maxPasswords]}.password`,
      message: `must be set of at most ${maxPasswords} links in one call`,
    },
  ]);
}

function setsPassword(row: unknown): boolean {
  return typeof row === 'object' && row !== null && 'password' in row && Boolean(row.password);
}
