import type { DnsNeeds, FinishedCheck } from '#core/domains/dns.ts';
import { describeReason, reasonOf, relativeName } from '#core/domains/reasons.ts';
import { domainSchedule, lostAfterChecks } from '#core/domains/schedule.ts';
import { firstTemplate } from '#core/links/qr/template.ts';
import { findQrCodeWarnings } from '#core/links/warnings/link-warnings.ts';
import type { Site } from '#core/links/site.ts';
import type { Domain, StoredDns } from '#db/entities/domains.ts';
import { present } from '#api/present.ts';
import {
  allDomainsSchema,
  type Domain as DomainAnswer,
  type DomainDnsAnswer,
  type DomainItem,
  domainSchema,
} from './schema.ts';

export function presentDomain(domain: Domain): DomainAnswer {
  return present(domainSchema, domain, {
    organizationId: domain.organization!.id,
    qrCodeId: domain.qrCode?.id,
    qrCode: presentTemplate(domain),
  });
}

function presentTemplate({ qrCode }: Domain): DomainAnswer['qrCode'] {
  return qrCode ? { options: qrCode.options, imageId: qrCode.image?.id ?? null } : null;
}

/** The answer of a check; `dns` is left out when every record is right. */
export function presentChecked(domain: Domain, { outcome, records, checkedAt }: FinishedCheck) {
  const shown = presentDomain(domain);
  // The workflow may have checked again since; the answer shows the time of the requested check.
  const isLater = shown.lastCheckedAt !== null && shown.lastCheckedAt > checkedAt;
  const dns = { records, checkedAt };
  return { ...shown, ...(isLater ? { lastCheckedAt: checkedAt } : {}), ...(outcome === 'right' ? {} : { dns }) };
}

/** The state of a domain; its `dns` is read. */
export function stateOfDomain({ isVerified, failedChecks, dns }: Domain): DomainDnsAnswer['state'] {
  if (isVerified) return failedChecks > 0 ? 'failing' : 'verified';
  return dns?.isTaken ? 'taken' : 'unverified';
}

/** How a domain's records stand. @param needs the records that this installation asks for. */
export function presentDns(domain: Domain, stored: StoredDns | null, { records: needed }: DnsNeeds): DomainDnsAnswer {
  const { isVerified, failedChecks, createdAt } = domain;
  const zone = stored?.zone;
  return {
    state: stateOfDomain(domain),
    zone: zone ?? null,
    needed: needed.map((record) => ({ ...record, relativeName: relativeName(record.name, zone) })),
    found:
      stored?.records.map((record) => ({ ...record, reason: reasonOf(record), message: describeReason(record) })) ??
      null,
    checkedAt: domain.lastCheckedAt?.toISOString() ?? null,
    nextCheckAt: domain.nextCheckAt?.toISOString() ?? null,
    failedChecks,
    isLostAfter: isVerified ? Math.max(0, lostAfterChecks - failedChecks) : null,
    dailyFrom: isVerified ? null : new Date(createdAt.getTime() + domainSchedule.youngForMs).toISOString(),
  };
}

export function presentCreated(domain: Domain, { records, hasHostname }: DnsNeeds) {
  const hasAddress = records.some(({ type }) => type !== 'TXT');
  const message = hasAddress
    ? 'EDGE_HOSTNAME is not set: no CNAME can be named, the domain must lead to the addresses.'
    : 'EDGE_HOSTNAME is not set: only ownership is checked. Ask the operator of this installation where the domain must lead.';
  const warnings = [{ path: 'dns.records', code: 'NO_EDGE_HOSTNAME' as const, message }];
  return { ...presentDomain(domain), dns: { records }, ...(hasHostname ? {} : { warnings }) };
}

/** A domain after an update, with warnings of the QR template that its new links get. */
export function presentChanged(domain: Domain) {
  const shown = presentDomain(domain);
  const warnings = findQrCodeWarnings(shown.qrCode);
  return warnings.length === 0 ? shown : { ...shown, warnings };
}

export function presentSummary(domain: Domain) {
  return present(allDomainsSchema.element, domain, { createdAt: domain.organization ? domain.createdAt : null });
}

export function presentItem(listed: Domain, { withQrCode }: { withQrCode: boolean }): DomainItem {
  const { id, domain, isPrimary, isVerified, isActive, createdAt } = listed;
  const item = { id, domain, isPrimary, isVerified, isActive, createdAt: createdAt.toISOString() };
  return withQrCode ? { ...item, qrCode: presentTemplate(listed) } : item;
}

/**
 * The data from which a client renders a domain's QR code; `qr=1` marks scans.
 * @param logoUrl address of the template's uploaded logo; it replaces the `image` of the options.
 */
export function presentQrCodeData({ domain, qrCode }: Domain, { site, logoUrl }: { site: Site; logoUrl?: string }) {
  const options = qrCode?.options ?? firstTemplate;
  return {
    url: `${site.originUrl(domain, '')}?qr=1`,
    options: logoUrl === undefined ? options : { ...options, image: logoUrl },
  };
}
