import { ConnectedApp } from '#db/entities/accounts/connected-apps.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { OidcIdentity, OidcProvider } from '#db/entities/accounts/people.ts';
import { Domain } from '#db/entities/domains.ts';

/** A provider with its organization and its sealed client secret. */
export type StoredProvider = NonNullable<Awaited<ReturnType<typeof findProvider>>>;

/** The provider that a live organization has set, whether or not it speaks for its domain still; undefined: there is none. */
export function findProvider(em: EntityManager, organizationId: string) {
  return selectProviders(em).where('p.organization', '=', organizationId).executeTakeFirst();
}

/**
 * The provider that signs people in, by its organization or by the domain of their e-mail; undefined: there is none. The organization has
 * the domain verified at this moment: a domain that was lost, deleted or passed on has no provider any more.
 */
export async function findSpeakingProvider(
  em: EntityManager,
  by: { organizationId: string } | { emailDomain: string },
): Promise<StoredProvider | undefined> {
  const query = selectProviders(em)
    .innerJoin('Domain as d', (join) =>
      join.onRef('d.organization', '=', 'p.organization').onRef('d.domain', '=', 'p.emailDomain'),
    )
    .where('d.isVerified', '=', true)
    .where('d.deletedAt', 'is', null);
  return (
    'organizationId' in by
      ? query.where('p.organization', '=', by.organizationId)
      : query.where('p.emailDomain', '=', by.emailDomain)
  ).executeTakeFirst();
}

function selectProviders(em: EntityManager) {
  return em.kysely
    .selectFrom('OidcProvider as p')
    .innerJoin('Organization as o', 'o.id', 'p.organization')
    .select(['p.organization as organizationId', 'p.issuer', 'p.clientId', 'p.clientSecretSealed', 'p.emailDomain'])
    .select(['p.createdAt', 'p.updatedAt'])
    .where('o.deletedAt', 'is', null);
}

/** Whether an organization has a domain verified. */
export async function hasVerified(em: EntityManager, organizationId: string, domain: string): Promise<boolean> {
  return (await em.count(Domain, { organization: organizationId, domain, isVerified: true })) > 0;
}

/** The person that an identity is, since their first sign-in by it; undefined: unknown, or erased. */
export async function findByIdentity(
  em: EntityManager,
  { issuer, subject }: { issuer: string; subject: string },
): Promise<string | undefined> {
  const identity = await em.findOne(OidcIdentity, { issuer, subject, user: { deletedAt: null } });
  return identity?.user.id;
}

export async function keepIdentity(
  em: EntityManager,
  identity: { issuer: string; subject: string; userId: string },
  now: Date,
): Promise<void> {
  const { userId: user, ...rest } = identity;
  await em.kysely
    .insertInto('OidcIdentity')
    .values({ ...rest, user, createdAt: now, lastUsedAt: now })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doUpdateSet({ user, lastUsedAt: now }))
    .execute();
}

/** Removes providers for a domain that other organizations set when it was theirs. */
export async function removeFormerProviders(
  em: EntityManager,
  { emailDomain, organizationId }: { emailDomain: string; organizationId: string },
): Promise<void> {
  const former = await em.find(OidcProvider, { emailDomain, organization: { $ne: organizationId } });
  for (const { organization } of former) await removeProvider(em, organization.id);
}

/** Removes the provider of an organization, and the apps that its sessions let in. @returns whether there was one. */
export async function removeProvider(em: EntityManager, organizationId: string): Promise<boolean> {
  await em.nativeDelete(ConnectedApp, { organization: organizationId, isByProvider: true });
  return (await em.nativeDelete(OidcProvider, { organization: organizationId })) === 1;
}
