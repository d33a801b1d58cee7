import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import type { Actor } from '#core/organizations/actor.ts';
import type { DomainPatch } from '#core/domains/patch.ts';
import { firstTemplate } from '#core/links/qr-code.ts';
import { AppError, invalid } from '#core/errors/errors.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import { plans } from '#core/organizations/plans.ts';
import type { Site } from '#core/links/site.ts';
import { type Precondition, requireVersion } from '#core/http/version.ts';
import type { Sql, Transaction } from '#db/connection/database.ts';
import {
  clearPrimary,
  type DomainColumns,
  type DomainView,
  insertDomain,
  isQrImage,
  passPrimary,
  readDomain,
  readDomainClaims,
  setDomainColumns,
} from '#db/domains/domains.ts';
import { listOwnHosts } from '#db/links/chains.ts';
import { notifyDomain } from '#db/links/notify-changes.ts';
import { deleteQrCode, putQrCode } from '#db/links/update.ts';
import { lockDeletes, lockOrganization } from '#db/connection/locks.ts';
import { enqueue } from '#db/outbox.ts';
import { tombstoneLinksOf } from '#db/deletions/links.ts';
import { firstId, insertDeletion } from '#db/deletions/deletions.ts';
import { readLinkChains } from '#commands/links/chains.ts';
import { emitDeletedLinks } from '#commands/links/delete.ts';
import { laneOf, requestVerdicts } from '#commands/threats/verdicts.ts';

const verificationBytes = 20;
const toldAtOnce = 500;

/**
 * Adds a domain, not verified yet. An organization's first one becomes the primary one and gets a QR template.
 * @param domain as `core/domains/name` leaves it. @returns its id.
 * @throws AppError VALIDATION_ERROR for the platform's own; ALREADY_EXIST where the organization has it already, or
 * another one has it verified; PLAN_LIMIT_REACHED.
 */
export async function createDomain(
  tx: Transaction,
  { organizationId, plan }: Actor,
  domain: string,
  { site, now }: { site: Site; now: Date },
): Promise<string> {
  await lockOrganization(tx, organizationId);
  const { count, isOwn, holder } = await readDomainClaims(tx, organizationId, domain);
  if (domain === site.platformHost || holder === 'platform') throw invalid('domain', 'belongs to the platform');
  if (isOwn || holder !== null) throw new AppError('ALREADY_EXIST', 'This domain exists already.');
  const limit = plans[plan].domains;
  if (count >= limit) {
    throw new AppError('PLAN_LIMIT_REACHED', `Your plan allows ${limit} custom ${limit === 1 ? 'domain' : 'domains'}.`);
  }
  const isFirst = count === 0;
  const qrCodeId = isFirst ? uuidv7() : null;
  if (qrCodeId !== null) await putQrCode(tx, { id: qrCodeId, organizationId, options: firstTemplate, imageId: null });
  const id = uuidv7();
  const txtRecord = `waymark-verify=${randomBytes(verificationBytes).toString('hex')}`;
  await insertDomain(tx, { id, organizationId, domain, isPrimary: isFirst, txtRecord, qrCodeId, now });
  // Its actor makes the first check.
  await enqueue(tx, 'domain', [id]);
  return id;
}

/**
 * Changes a domain, and notifies the edges.
 * @throws AppError NOT_FOUND, FORBIDDEN; VALIDATION_ERROR for a fallback on the domain itself, for an image that is not the
 * organization's, and for taking the primary role away without giving it to another domain.
 */
export async function updateDomain(
  tx: Transaction,
  actor: Actor,
  id: string,
  patch: DomainPatch,
  { now, site, ifMatch }: { now: Date; site: Site; ifMatch?: Precondition | undefined },
): Promise<void> {
  if (patch.isPrimary !== undefined) await lockOrganization(tx, actor.organizationId);
  const domain = requireOwn(await readDomain(tx, id, 'for no key update of d'), actor, 'domain');
  requireVersion(ifMatch, domain);
  if (patch.fallbackUrl && hostOf(patch.fallbackUrl) === domain.domain) {
    throw invalid('fallbackUrl', 'must lead to another host than the domain itself');
  }
  if (patch.fallbackUrl) await requireNoLoop(tx, domain.domain, patch.fallbackUrl, site);
  if (patch.isPrimary === false && domain.isPrimary) {
    throw invalid('isPrimary', 'cannot be taken away: make another domain the primary one');
  }
  if (patch.isPrimary === true && !domain.isPrimary) await clearPrimary(tx, actor.organizationId, now);
  const columns: DomainColumns = {
    ...changedColumns(domain, patch),
    ...(await setTemplate(tx, domain, actor, patch.qrCode)),
  };
  if (patch.fallbackUrl) await requestVerdicts(tx, laneOf(actor.organizationId, [{ id, url: patch.fallbackUrl }]));
  if (Object.keys(columns).length === 0) return;
  await setDomainColumns(tx, id, columns, now);
  if (patch.qrCode === null && domain.qrCodeId !== null) await deleteQrCode(tx, domain.qrCodeId);
  await notifyDomain(tx, id);
}

/** @throws AppError VALIDATION_ERROR where the fallback is a short link that leads back to this domain's fallback. */
async function requireNoLoop(tx: Transaction, domain: string, fallbackUrl: string, site: Site): Promise<void> {
  const host = site.parse(fallbackUrl)?.host;
  if (host === undefined || (await listOwnHosts(tx, [host])).length === 0) return;
  const chains = await readLinkChains(tx, [fallbackUrl], site);
  if (chains.leadsToNoLinkOf(fallbackUrl, domain)) {
    throw invalid('fallbackUrl', 'is a short link that leads back to this domain');
  }
}

function hostOf(url: string): string | undefined {
  return URL.parse(url)?.hostname.replace(/\.$/, '');
}

/** The columns whose values a patch changes. */
function changedColumns(domain: DomainView, patch: DomainPatch): DomainColumns {
  const toColumns = (from: DomainPatch | DomainView) => ({
    is_active: from.isActive,
    is_primary: from.isPrimary,
    fallback_url: from.fallbackUrl,
    apple_app_site_association: toJson(from.appleAppSiteAssociation),
    android_asset_links: toJson(from.androidAssetLinks),
  });
  const known: Record<string, unknown> = toColumns(domain);
  const changed = Object.entries(toColumns(patch)).filter(
    ([name, value]) => value !== undefined && value !== known[name],
  );
  return Object.fromEntries(changed);
}

/** A document as a JSON text within a JSON text: the database would put the members of an object in an order of its own. */
function toJson(document: unknown): string | null | undefined {
  return document === undefined || document === null ? document : JSON.stringify(JSON.stringify(document));
}

/** Writes a domain's QR template; null takes it away, undefined leaves it. @returns what changes of the domain. */
async function setTemplate(
  tx: Transaction,
  domain: DomainView,
  { organizationId }: Actor,
  template: DomainPatch['qrCode'],
): Promise<DomainColumns> {
  if (template === undefined) return {};
  if (template === null) return domain.qrCodeId === null ? {} : { qr_code_id: null };
  const { options, imageId = null } = template;
  if (isDeepStrictEqual(domain.qrCode, { options, imageId })) return {};
  if (imageId !== null && !(await isQrImage(tx, imageId, organizationId))) {
    throw invalid('qrCode.imageId', 'is not an image for QR codes of this organization');
  }
  const id = domain.qrCodeId ?? uuidv7();
  await putQrCode(tx, { id, organizationId, options, imageId });
  return { qr_code_id: id };
}

/**
 * Deletes a domain with all its links: gone at once from lists, statistics and the edge, its name free. The primary role passes
 * to the oldest verified domain. `link.deleted` is written here for the first links; the workflow of the same name (`workflows/deletions.ts`)
 * writes it for the others, and removes the rows.
 * @throws AppError NOT_FOUND, FORBIDDEN.
 */
export async function deleteDomain(
  tx: Transaction,
  actor: Actor,
  id: string,
  { now, ifMatch }: { now: Date; ifMatch?: Precondition | undefined },
): Promise<void> {
  const { organizationId } = actor;
  await lockDeletes(tx, organizationId);
  requireOwn(await readDomain(tx, id), actor, 'domain');
  // Lock order: links, then domain (docs/locks.md); then the links that were put on it in between.
  const first = await tombstoneLinksOf(tx, 'domain_id', id, { deletionId: id, now });
  await lockOrganization(tx, organizationId);
  requireVersion(ifMatch, requireOwn(await readDomain(tx, id, 'for update of d'), actor, 'domain'));
  const late = await tombstoneLinksOf(tx, 'domain_id', id, { deletionId: id, now });
  await setDomainColumns(tx, id, { deleted_at: now, is_primary: false }, now);
  await passPrimary(tx, organizationId, now);
  await insertDeletion(tx, {
    id,
    kind: 'domain',
    organizationId,
    links: first + late,
    deletedAt: now,
    toldTo: firstId,
  });
  await emitDeletedLinks(tx, id, { limit: toldAtOnce, now });
  await enqueue(tx, 'domain', [id]);
  await notifyDomain(tx, id);
}

/**
 * Inserts the platform domain where it is missing. Earlier platform domains stay: links that were printed with them go on
 * working.
 */
export async function ensurePlatformDomain(sql: Sql, host: string): Promise<void> {
  await sql.query(
    `insert into domains (id, organization_id, domain, is_verified, txt_record)
     values ($1, null, $2, true, '') on conflict do nothing`,
    [uuidv7(), host],
  );
}
