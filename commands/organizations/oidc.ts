import * as z from 'zod';
import { AppError, invalidFields, type Issue } from '#core/errors/errors.ts';
import { name } from '#core/lib/schemas.ts';
import type { Actor } from '#core/audit/actor.ts';
import {
  emailDomainOf,
  type OidcClaims,
  type OidcProblem,
  type OidcProvider,
  oidcSecretPurpose,
} from '#core/organizations/oidc.ts';
import { rowContext, type Sealing } from '#core/secrets/sealing.ts';
import { ConnectedApp } from '#db/entities/accounts/connected-apps.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { isUniqueViolation } from '#db/connection/errors.ts';
import { lockOrganization } from '#db/connection/locks.ts';
import { Membership, Session, User } from '#db/entities/accounts/people.ts';
import {
  findByIdentity,
  findProvider,
  hasVerified,
  keepIdentity,
  removeFormerProviders,
  removeProvider,
  type StoredProvider,
} from '#db/organizations/oidc.ts';
import { recordChange } from './audit.ts';
import { normalizeEmail } from '#commands/accounts/people.ts';
import { handOver } from '#commands/accounts/verification.ts';

/** A provider as an owner sets it; without a secret the one before stays, where the issuer does. */
interface ProviderDraft {
  issuer: string;
  clientId: string;
  clientSecret?: string | undefined;
  emailDomain: string;
}

/**
 * Sets the provider by which people with an e-mail at a verified domain of the organization sign in.
 * @throws AppError FORBIDDEN for anybody but an owner, VALIDATION_ERROR for a domain that the organization has not verified
 * and for a first provider or another issuer without a secret, ALREADY_EXIST where another organization has a provider for the domain.
 */
export async function setProvider(
  em: EntityManager,
  actor: Actor,
  { clientSecret, ...draft }: ProviderDraft,
  { now, sealing }: { now: Date; sealing: Sealing },
): Promise<StoredProvider> {
  const { organizationId } = actor;
  await requireOwner(em, actor);
  await lockOrganization(em, organizationId);
  const issues = await findProviderIssues(em, actor, { clientSecret, ...draft });
  if (issues.length > 0) throw invalidFields(issues);
  const before = await findProvider(em, organizationId);
  const sealed =
    clientSecret === undefined
      ? before!.clientSecretSealed
      : sealing.seal(oidcSecretPurpose, clientSecret, rowContext(organizationId));
  const values = { ...draft, clientSecretSealed: sealed, updatedAt: now };
  // One organization alone has a domain verified.
  await removeFormerProviders(em, { organizationId, emailDomain: draft.emailDomain });
  await em.kysely
    .insertInto('OidcProvider')
    .values({ organization: organizationId, createdAt: now, ...values })
    .onConflict((conflict) => conflict.column('organization').doUpdateSet(values))
    .execute()
    .catch((error: unknown) => {
      throw isUniqueViolation(error, 'oidc_providers_email_domain_key')
        ? new AppError('ALREADY_EXIST', 'Another organization signs people of this domain in.', { reason: 'domain' })
        : error;
    });
  const { issuer, emailDomain } = draft;
  // Another provider has not opened the sessions of the one before, nor let their apps in.
  if (before?.issuer !== issuer || before.emailDomain !== emailDomain) {
    const opened = { organization: organizationId, isByProvider: true };
    await em.nativeDelete(Session, opened);
    await em.nativeDelete(ConnectedApp, opened);
  }
  const details = { issuer, emailDomain };
  await recordChange(em, actor, { action: 'organization.signInSet', subjectId: organizationId, details }, now);
  return { organizationId, ...values, createdAt: before?.createdAt ?? now };
}

/**
 * Finds what is wrong with a provider, but for what it answers itself.
 * @throws AppError FORBIDDEN for anybody but an owner.
 */
export async function findProviderIssues(
  em: EntityManager,
  actor: Actor,
  { clientSecret, emailDomain, issuer }: ProviderDraft,
): Promise<Issue[]> {
  const { organizationId } = actor;
  await requireOwner(em, actor);
  const issues: Issue[] = [];
  if (!(await hasVerified(em, organizationId, emailDomain))) {
    const message = 'must be a domain that this organization has verified: add it under the domains first';
    issues.push({ path: 'emailDomain', message });
  }
  if (clientSecret === undefined) {
    const before = await findProvider(em, organizationId);
    if (before === undefined) issues.push({ path: 'clientSecret', message: 'is needed' });
    // The secret would go to whom the new address belongs, and no owner may read it.
    else if (before.issuer !== issuer)
      issues.push({ path: 'clientSecret', message: 'must be sent again with another issuer' });
  }
  return issues;
}

/**
 * Removes the provider of the organization: people sign in by their passwords again. @returns whether there was one.
 * @throws AppError FORBIDDEN for anybody but an owner.
 */
export async function unsetProvider(em: EntityManager, actor: Actor, now: Date): Promise<boolean> {
  const { organizationId } = actor;
  if ((await findProvider(em, organizationId)) === undefined) return false;
  await requireOwner(em, actor);
  const wasSet = await removeProvider(em, organizationId);
  const change = { action: 'organization.signInRemoved', subjectId: organizationId };
  if (wasSet) await recordChange(em, actor, change, now);
  return wasSet;
}

/** Who sets the provider can sign in as everybody of the domain: owners alone. */
async function requireOwner(em: EntityManager, { organizationId, userId, keyId }: Actor): Promise<void> {
  const role = await em.getRepository(Membership).roleOf({ organizationId, userId }, 'share');
  if (role === 'owner' && keyId === undefined) return;
  throw new AppError('FORBIDDEN', 'Only an owner who is signed in may set how people sign in.');
}

export function openProvider(
  { organizationId, issuer, clientId, clientSecretSealed }: StoredProvider,
  sealing: Sealing,
): OidcProvider {
  const clientSecret = sealing.open(oidcSecretPurpose, clientSecretSealed, rowContext(organizationId)).toString();
  return { issuer, clientId, clientSecret };
}

/** The person of a sign-in by a provider, or why nobody signs in. */
type Recognized = { userId: string } | { problem: OidcProblem };

/**
 * Finds the person that a provider has named. The installation's provider names people that exist already. The provider of an
 * organization names people of its domain alone; a new one gets an account, and all become members of the organization. The provider has
 * verified the e-mail: an account that is not verified is handed over to the person.
 * @param organization whose provider it is; undefined: the installation's.
 */
export async function recognize(
  em: EntityManager,
  { issuer, subject, email: given, isEmailVerified, name: called }: OidcClaims,
  {
    organization,
    now,
  }: { organization: Pick<StoredProvider, 'organizationId' | 'emailDomain'> | undefined; now: Date },
): Promise<Recognized> {
  const email = normalizeEmail(given ?? '');
  if (!isEmailVerified || !emailSchema.safeParse(email).success) return { problem: 'email-missing' };
  if (organization !== undefined && emailDomainOf(email) !== organization.emailDomain)
    return { problem: 'email-domain' };
  const people = em.getRepository(User);
  const known = await findByIdentity(em, { issuer, subject });
  const person =
    known === undefined ? await people.findPerson(email) : await people.findOne({ id: known, type: 'human' });
  // An identity from before may be an account with another e-mail by now: an organization's provider has no say over it.
  const isForeign =
    organization !== undefined && person !== null && emailDomainOf(person.email ?? '') !== organization.emailDomain;
  if (isForeign) return { problem: 'email-domain' };
  if (person === null && organization === undefined) return { problem: 'unknown-person' };
  const user = person ?? people.add({ type: 'human', email, name: nameOf(called, email), emailVerifiedAt: now });
  await em.flush();
  // The e-mail of an identity from before may be another one by now.
  if (user.email === email) await handOver(em, user.id, now);
  await keepIdentity(em, { issuer, subject, userId: user.id }, now);
  if (organization !== undefined) await join(em, organization.organizationId, user.id);
  return { userId: user.id };
}

// As much as the other ways into an account take.
const emailSchema = z.email().max(254);
const nameSchema = name(100);

/** What a new person is called: as the provider says where that is a name, else by the e-mail. */
function nameOf(given: string | undefined, email: string): string {
  const { success, data } = nameSchema.safeParse(given);
  return success ? data : email.split('@', 1)[0]!;
}

async function join(em: EntityManager, organizationId: string, userId: string): Promise<void> {
  await lockOrganization(em, organizationId);
  const members = em.getRepository(Membership);
  const workplace = await members.findWorkplace(organizationId, userId);
  if (workplace === undefined || workplace.isMember) return;
  members.add(organizationId, userId, 'member');
  await em.flush();
}
