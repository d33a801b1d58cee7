import type { output } from 'zod';
import type { allDomainsSchema } from '#api/domain/schema.ts';

/** A domain that links can be on; `createdAt` is null for a domain of the platform. */
export type UsableDomain = output<typeof allDomainsSchema>[number];

/** The domain on which links are made that name none, as the API chooses it: the own primary one while it is verified and on, else the platform's. */
export function defaultDomainOf<Of extends UsableDomain>(domains: readonly Of[]): Of | undefined {
  return (
    domains.find(
      ({ isPrimary, isVerified, isActive, createdAt }) => createdAt !== null && isPrimary && isVerified && isActive,
    ) ?? domains.find(({ createdAt }) => createdAt === null)
  );
}

/** The domains that new links are offered: verified and on. */
export function servingDomainsOf<Of extends UsableDomain>(domains: readonly Of[]): Of[] {
  return domains.filter(({ isVerified, isActive, createdAt }) => isActive && (isVerified || createdAt === null));
}
