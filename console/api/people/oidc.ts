import type { output } from 'zod';
import type { oidcOfferSchema, startedOidcSchema } from '#api/auth/oidc/schema.ts';
import type { organizationOidcSchema } from '#api/organization/oidc-routes.ts';
import { call } from '#console/api/client.ts';
import { readQuery } from '#console/api/query.ts';

/** The identity provider of the organization; all but the address to register is null where there is none. */
export type OrganizationOidc = output<typeof organizationOidcSchema>;

/** The identity provider of the installation, before anybody is signed in. */
export const oidcOfferQuery = readQuery<output<typeof oidcOfferSchema>>(['oidc', 'offer'], '/auth/oidc', {
  isSignIn: true,
  staleTime: Infinity,
});

/** Begins a sign-in by an identity provider. @throws ApiError NOT_FOUND where none signs people of the e-mail's domain in. */
export function startOidc(body: {
  email?: string | undefined;
  next?: string | undefined;
}): Promise<output<typeof startedOidcSchema>> {
  return call('POST', '/auth/oidc/start', { body, isSignIn: true, timeoutMs: 20_000 });
}

export const organizationOidcQuery = readQuery<OrganizationOidc>(['organization', 'oidc'], '/organization/oidc');

/** Sets the identity provider of the organization. Without a secret the one before stays. */
export function setOrganizationOidc(body: {
  issuer: string;
  clientId: string;
  clientSecret: string | null;
  emailDomain: string;
}): Promise<OrganizationOidc> {
  return call('PUT', '/organization/oidc', { body, timeoutMs: 30_000 });
}

export function removeOrganizationOidc(): Promise<unknown> {
  return call('DELETE', '/organization/oidc');
}
