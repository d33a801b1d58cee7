/**
 * `live` leaves out deleted rows. It is on unless a query says `filters: { live: false }`; Kysely and statements by hand say it
 * themselves.
 */
export const live = { name: 'live', cond: { deletedAt: null }, default: true };

/**
 * `tenant` keeps one organization's rows: `filters: { tenant: { organizationId } }`. Whether a caller may have a row at all is decided by
 * `core/organizations/ownership.ts`. QrCode, Session, OidcProvider and ThreatNotice have none: they are read by their key, for a
 * person, or by Kysely.
 */
export const tenant = {
  name: 'tenant',
  cond: ({ organizationId }: { organizationId?: string }) => ({ organization: organizationId }),
};
