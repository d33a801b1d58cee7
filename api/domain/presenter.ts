import type { FinishedCheck } from '#core/domains/dns.ts';
import { firstTemplate } from '#core/links/qr-code.ts';
import type { Site } from '#core/links/site.ts';
import type { DomainView } from '#db/domains/domains.ts';
import type { Domain, DomainItem } from './schema.ts';

/** A domain that an organization has. */
export type OwnDomain = DomainView & { organizationId: string };

/** Shapes a domain for clients. */
export function presentDomain({ createdAt, updatedAt, lastCheckedAt, ...domain }: OwnDomain): Domain {
  return {
    ...domain,
    lastCheckedAt: lastCheckedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** Shapes a domain after a check; what was found goes with it unless all was right. */
export function presentChecked(domain: OwnDomain, { outcome, records, checkedAt }: FinishedCheck) {
  const shown = presentDomain(domain);
  // The actor may have checked once more meanwhile; the answer tells of the check that was asked for.
  const isLater = shown.lastCheckedAt !== null && shown.lastCheckedAt > checkedAt;
  const dns = { records, checkedAt };
  return { ...shown, ...(isLater ? { lastCheckedAt: checkedAt } : {}), ...(outcome === 'right' ? {} : { dns }) };
}

/** Shapes a domain as one that links may be on. */
export function presentSummary({ id, organizationId, domain, isPrimary, isVerified, createdAt }: DomainView) {
  return {
    id,
    domain,
    isPrimary,
    isVerified,
    createdAt: organizationId === null ? null : createdAt.toISOString(),
  };
}

/** Shapes a domain for lists. */
export function presentItem(
  { id, domain, isPrimary, isVerified, createdAt, qrCode }: DomainView,
  { withQrCode }: { withQrCode: boolean },
): DomainItem {
  const item = { id, domain, isPrimary, isVerified, createdAt: createdAt.toISOString() };
  return withQrCode ? { ...item, qrCode } : item;
}

/**
 * What a client renders a domain's QR code from; scans are told by `qr=1` (4.12).
 * @param logoUrl address of the template's uploaded logo, which takes the place of an `image` of the options.
 */
export function presentQrCodeData({ domain, qrCode }: DomainView, { site, logoUrl }: { site: Site; logoUrl?: string }) {
  const options = qrCode?.options ?? firstTemplate;
  return {
    url: `${site.originUrl(domain, '')}?qr=1`,
    options: logoUrl === undefined ? options : { ...options, image: logoUrl },
  };
}
