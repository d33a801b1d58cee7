import type { FinishedCheck } from '#core/domains/dns.ts';
import { firstTemplate } from '#core/links/qr-code.ts';
import type { Site } from '#core/links/site.ts';
import type { DomainView } from '#db/domains/domains.ts';
import type { Domain, DomainItem } from './schema.ts';

/** A domain that belongs to an organization, not to the platform. */
export type OwnDomain = DomainView & { organizationId: string };

export function presentDomain({ createdAt, updatedAt, lastCheckedAt, ...domain }: OwnDomain): Domain {
  return {
    ...domain,
    lastCheckedAt: lastCheckedAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** The answer of a check; `dns` is left out when every record is right. */
export function presentChecked(domain: OwnDomain, { outcome, records, checkedAt }: FinishedCheck) {
  const shown = presentDomain(domain);
  // The workflow may have checked again since; the answer shows the time of the requested check.
  const isLater = shown.lastCheckedAt !== null && shown.lastCheckedAt > checkedAt;
  const dns = { records, checkedAt };
  return { ...shown, ...(isLater ? { lastCheckedAt: checkedAt } : {}), ...(outcome === 'right' ? {} : { dns }) };
}

/** A domain in the list of domains that links may use. */
export function presentSummary({ id, organizationId, domain, isPrimary, isVerified, createdAt }: DomainView) {
  return {
    id,
    domain,
    isPrimary,
    isVerified,
    createdAt: organizationId === null ? null : createdAt.toISOString(),
  };
}

export function presentItem(
  { id, domain, isPrimary, isVerified, createdAt, qrCode }: DomainView,
  { withQrCode }: { withQrCode: boolean },
): DomainItem {
  const item = { id, domain, isPrimary, isVerified, createdAt: createdAt.toISOString() };
  return withQrCode ? { ...item, qrCode } : item;
}

/**
 * The data from which a client renders a domain's QR code; `qr=1` marks scans (4.12).
 * @param logoUrl address of the template's uploaded logo; it replaces the `image` of the options.
 */
export function presentQrCodeData({ domain, qrCode }: DomainView, { site, logoUrl }: { site: Site; logoUrl?: string }) {
  const options = qrCode?.options ?? firstTemplate;
  return {
    url: `${site.originUrl(domain, '')}?qr=1`,
    options: logoUrl === undefined ? options : { ...options, image: logoUrl },
  };
}
