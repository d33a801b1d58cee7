import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { uuidv7 } from '#core/lib/uuid.ts';
import { detailsOfChange } from '#core/audit/activity.ts';
import type { Actor } from '#core/audit/actor.ts';
import type { DomainPatch } from '#core/domains/patch.ts';
import { readDomainName } from '#core/domains/name.ts';
import { firstTemplate } from '#core/links/qr/template.ts';
import { AppError, invalid, invalidFields, type Issue } from '#core/errors/errors.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import { plans } from '#core/organizations/plans.ts';
import type { Site } from '#core/links/site.ts';
import { type Precondition, requireVersion } from '#core/http/version.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Domain, QrCode } from '#db/entities/domains.ts';
import { File } from '#db/entities/files.ts';
import { notifyDomain } from '#db/notifications/notify.ts';
import { lockOrganization, lockPart } from '#db/connection/locks.ts';
import { enqueue } from '#db/outbox.ts';
import { tombstoneLinksOf } from '#db/deletions/links.ts';
import { firstId, insertDeletion } from '#db/deletions/deletions.ts';
import { recordAuditedActivity } from '#commands/organizations/audit.ts';
import { readLinkChains } from '#commands/links/chains.ts';
import { emitDeletedLinks } from '#commands/links/delete.ts';
import { withLanes, requestVerdicts } from '#commands/threats/verdicts.ts';

const verificationBytes = 20;
const toldAtOnce = 500;

/**
 * Adds a domain, not verified yet. An organization's first one becomes the primary one and gets a QR template.
 * @param domain as `core/domains/name` leaves it.
 * @throws AppError VALIDATION_ERROR for the platform's own; ALREADY_EXIST where the organization has it already, or
 * another one has it verified; PLAN_LIMIT_REACHED.
 */
export async function createDomain(
  em: EntityManager,
  actor: Actor,
  domain: string,
  { site, now }: { site: Site; now: Date },
): Promise<Domain> {
  const { organizationId, plan } = actor;
  await lockOrganization(em, organizationId);
  const domains = em.getRepository(Domain);
  const holder = await domains.findOne({ domain, isVerified: true });
  if (domain === site.platformHost || (holder !== null && holder.organization === null))
    throw invalid('domain', 'belongs to the platform');
  const isOwn = (await domains.count({ organization: organizationId, domain })) > 0;
  if (isOwn || holder !== null)
    throw new AppError('ALREADY_EXIST', 'This domain exists already.', { reason: 'domain' });
  const limit = plans[plan].domains;
  const count = await domains.count({ organization: organizationId });
  if (count >= limit) {
    throw new AppError('PLAN_LIMIT_REACHED', `Your plan allows ${limit} custom ${limit === 1 ? 'domain' : 'domains'}.`);
  }
  const isPrimary = count === 0;
  const qrCode = isPrimary
    ? em.create(QrCode, { id: uuidv7(), organization: organizationId, options: firstTemplate })
    : null;
  const txtRecord = `waymark-verify=${randomBytes(verificationBytes).toString('hex')}`;
  const documents = { appleAppSiteAssociation: null, androidAssetLinks: null };
  const dates = { createdAt: now, updatedAt: now, nextCheckAt: now };
  const fields = { domain, isPrimary, txtRecord, qrCode, ...documents, ...dates };
  const made = em.create(Domain, { id: uuidv7(), organization: organizationId, ...fields });
  await em.flush();
  await recordAuditedActivity(em, actor, { action: 'domain.created', subjectId: made.id, name: domain }, now);
  // Its workflow makes the first check.
  await enqueue(em, 'domain', [made.id]);
  return made;
}

/**
 * Changes a domain, and notifies the edges.
 * @throws AppError NOT_FOUND, FORBIDDEN; VALIDATION_ERROR for a fallback on the domain itself, for an image that is not the
 * organization's, for taking the primary role away without giving it to another domain, and for another `domain` or
 * `txtRecord`.
 */
export async function updateDomain(
  em: EntityManager,
  actor: Actor,
  id: string,
  patch: DomainPatch,
  { now, site, ifMatch }: { now: Date; site: Site; ifMatch?: Precondition | undefined },
): Promise<Domain> {
  if (patch.isPrimary !== undefined) await lockOrganization(em, actor.organizationId);
  const domains = em.getRepository(Domain);
  const domain = requireOwn(await domains.hold(id, 'no key update'), actor, 'domain');
  await em.populate(domain, ['qrCode']);
  requireVersion(ifMatch, domain);
  const issues = nameIssues(domain, patch);
  if (patch.fallbackUrl)
    issues.push(...(await fallbackIssues(em, actor, { domain: domain.domain, fallbackUrl: patch.fallbackUrl }, site)));
  if (patch.isPrimary === false && domain.isPrimary) {
    issues.push({ path: 'isPrimary', message: 'cannot be taken away: make another domain the primary one' });
  }
  issues.push(...(await imageIssues(em, domain, actor, patch.qrCode)));
  if (issues.length > 0) throw invalidFields(issues);
  if (patch.isPrimary === true && !domain.isPrimary) await domains.clearPrimary(actor.organizationId, now);
  const hasNewTemplate = setTemplate(em, domain, actor, patch.qrCode);
  const fields = domain.change(patch);
  if (hasNewTemplate) fields.push('qrCode');
  if (patch.fallbackUrl) await requestVerdicts(em, withLanes(actor.organizationId, [{ id, url: patch.fallbackUrl }]));
  if (fields.length === 0) return domain;
  domain.touch(now);
  await em.flush();
  const details = detailsOfChange(fields.map((field) => [field, domain[field as keyof Domain]]));
  await recordAuditedActivity(
    em,
    actor,
    { action: 'domain.updated', subjectId: id, name: domain.domain, details },
    now,
  );
  await notifyDomain(em, id);
  return domain;
}

function nameIssues({ domain, txtRecord }: Domain, patch: DomainPatch): Issue[] {
  const issues: Issue[] = [];
  const name = typeof patch.domain === 'string' ? readDomainName(patch.domain).domain : patch.domain;
  if (patch.domain !== undefined && name !== domain) {
    issues.push({ path: 'domain', message: 'cannot be changed: add the other name as a new domain' });
  }
  if (patch.txtRecord !== undefined && patch.txtRecord !== txtRecord)
    issues.push({ path: 'txtRecord', message: 'cannot be changed' });
  return issues;
}

/** Finds a fallback on the domain itself, or one that is a short link that leads back to this domain's fallback. */
async function fallbackIssues(
  em: EntityManager,
  { organizationId }: Actor,
  { domain, fallbackUrl }: { domain: string; fallbackUrl: string },
  site: Site,
): Promise<Issue[]> {
  const wrong = (message: string): Issue[] => [{ path: 'fallbackUrl', message }];
  if (site.isOn(fallbackUrl, domain)) return wrong('must lead to another host than the domain itself');
  const host = site.candidatesOf(fallbackUrl)[0]?.host;
  const ours = { domain: host, $or: [{ isVerified: true }, { organization: organizationId }] };
  if (host === undefined || (await em.count(Domain, ours)) === 0) return [];
  const chains = await readLinkChains(em, { urls: [fallbackUrl], organizationIds: [organizationId] }, site);
  return chains.leadsTo(fallbackUrl, { host: domain, slug: '' })
    ? wrong('is a short link that leads back to this domain')
    : [];
}

/** Finds an image that is not the organization's; the one that the template has already is not looked at again. */
async function imageIssues(
  em: EntityManager,
  { qrCode }: Domain,
  { organizationId }: Actor,
  template: DomainPatch['qrCode'],
): Promise<Issue[]> {
  const imageId = template?.imageId ?? null;
  if (imageId === null || imageId === qrCode?.image?.id) return [];
  if (await em.getRepository(File).isQrImage(imageId, organizationId)) return [];
  return [{ path: 'qrCode.imageId', message: 'is not an image for QR codes of this organization' }];
}

/** Writes a domain's QR template; null takes it away, undefined leaves it. @returns whether it changes. */
function setTemplate(
  em: EntityManager,
  domain: Domain,
  { organizationId }: Actor,
  template: DomainPatch['qrCode'],
): boolean {
  if (template === undefined) return false;
  const before = domain.qrCode ?? null;
  if (template === null) {
    domain.qrCode = null;
    if (before !== null) em.remove(before);
    return before !== null;
  }
  const { options, imageId = null } = template;
  const known = before && { options: before.options, imageId: before.image?.id ?? null };
  if (isDeepStrictEqual(known, { options, imageId })) return false;
  const image = imageId === null ? null : em.getReference(File, imageId);
  if (before === null)
    domain.qrCode = em.create(QrCode, { id: uuidv7(), organization: organizationId, options, image });
  else em.assign(before, { options, image, updatedAt: new Date() });
  return true;
}

/**
 * Deletes a domain with all its links: gone at once from lists, statistics and the edge, its name free. The primary role passes
 * to the oldest verified domain. `link.deleted` is written here for the first links; the workflow of the same name (`workflows/deletions.ts`)
 * writes it for the others, and removes the rows.
 * @throws AppError NOT_FOUND, FORBIDDEN.
 */
export async function deleteDomain(
  em: EntityManager,
  actor: Actor,
  id: string,
  { now, ifMatch }: { now: Date; ifMatch?: Precondition | undefined },
): Promise<void> {
  const { organizationId } = actor;
  await lockPart(em, 'deletes', organizationId);
  const domains = em.getRepository(Domain);
  requireOwn(await domains.findOne({ id }), actor, 'domain');
  // Lock order: links, then domain (docs/locks.md); then the links that were put on it in between.
  const first = await tombstoneLinksOf(em, 'domain_id', id, { deletionId: id, now });
  await lockOrganization(em, organizationId);
  const domain = requireOwn(await domains.hold(id), actor, 'domain');
  requireVersion(ifMatch, domain);
  const late = await tombstoneLinksOf(em, 'domain_id', id, { deletionId: id, now });
  Object.assign(domain, { deletedAt: now, isPrimary: false });
  domain.touch(now);
  await em.flush();
  await domains.passPrimary(organizationId, now);
  await insertDeletion(em, {
    id,
    kind: 'domain',
    organizationId,
    links: first + late,
    deletedAt: now,
    toldTo: firstId,
  });
  const details = { links: first + late };
  await recordAuditedActivity(
    em,
    actor,
    { action: 'domain.deleted', subjectId: id, name: domain.domain, details },
    now,
  );
  await emitDeletedLinks(em, id, { limit: toldAtOnce, now });
  await enqueue(em, 'domain', [id]);
  await notifyDomain(em, id);
}
