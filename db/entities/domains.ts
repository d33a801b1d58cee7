import { defineEntity, type EntityRepositoryType, type InferEntity, p, Type } from '@mikro-orm/core';
import type { DnsReport } from '#core/domains/dns.ts';
import type { DomainPatch } from '#core/domains/patch.ts';
import { laterThan } from '#core/lib/later-than.ts';
import type { QrOptions } from '#core/links/qr-code.ts';
import type { DomainRepository } from '#db/domains/domains.ts';
import { File } from './files.ts';
import { live, tenant } from '#db/connection/lists/filters.ts';
import { Organization } from './accounts/people.ts';

/** A JSON document within a JSON text: the database would put the members of an object in an order of its own. */
class OrderedJson extends Type<unknown, string | null> {
  override convertToDatabaseValue(document: unknown): string | null {
    return document === null || document === undefined ? null : JSON.stringify(JSON.stringify(document));
  }

  override convertToJSValue(stored: string | null): unknown {
    return stored === null ? null : JSON.parse(stored);
  }
}

/** A QR code's styling, of a link or as a domain's template, in the specification's units. */
export const QrCode = defineEntity({
  name: 'QrCode',
  tableName: 'qr_codes',
  properties: {
    id: p.uuid().primary(),
    organization: () => p.manyToOne(Organization).index('qr_codes_organization_id_idx'),
    options: p.json().$type<QrOptions>(),
    image: () => p.manyToOne(File).nullable().deleteRule('no action').index('qr_codes_image_id_idx'),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
  },
});

export type QrCode = InferEntity<typeof QrCode>;

/** What a check found, and whether another organization had verified the name first. */
export interface StoredDns extends DnsReport {
  isTaken: boolean;
}

export const DomainSchema = defineEntity({
  name: 'Domain',
  tableName: 'domains',
  filters: { live, tenant },
  properties: {
    id: p.uuid().primary(),
    organization: () =>
      p.manyToOne(Organization).nullable().deleteRule('no action').index('domains_organization_id_idx'),
    domain: p.text(),
    isActive: p.boolean().default(true),
    isVerified: p.boolean().default(false),
    isPrimary: p.boolean().default(false),
    txtRecord: p.text(),
    lastCheckedAt: p.datetime(3).nullable(),
    /** What the last check found. */
    dns: p.json().$type<StoredDns>().nullable().lazy(),
    /** Checks in a row that found the domain wrong. */
    failedChecks: p.integer().default(0),
    /** When its next regular check is due; null: never, it is the platform's. */
    nextCheckAt: p.datetime(3).nullable(),
    /** When its check was last found overdue. */
    requeuedAt: p.datetime(3).nullable(),
    qrCode: () => p.manyToOne(QrCode).nullable().deleteRule('no action').index('domains_qr_code_id_idx'),
    fallbackUrl: p.text().nullable(),
    appleAppSiteAssociation: p.type(OrderedJson).columnType('jsonb').$type<unknown>().nullable(),
    androidAssetLinks: p.type(OrderedJson).columnType('jsonb').$type<unknown>().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
    deletedAt: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'domains_next_check_at_idx', properties: ['nextCheckAt'], where: 'deleted_at is null' },
    {
      name: 'domains_fallback_url_idx',
      expression: `create index domains_fallback_url_idx on domains (hash_of_url(fallback_url)) where (fallback_url is not null and deleted_at is null)`,
    },
  ],
  uniques: [
    // Two organizations may add one name; the first to verify has it.
    { name: 'domains_verified_key', properties: ['domain'], where: 'is_verified and deleted_at is null' },
    { name: 'domains_name_key', properties: ['organization', 'domain'], where: 'deleted_at is null' },
    { name: 'domains_primary_key', properties: ['organization'], where: 'is_primary and deleted_at is null' },
  ],
});

/** A host that serves links. Without an organization it is a platform domain. `domain` is lower-case punycode. */
export class Domain extends DomainSchema.class {
  declare [EntityRepositoryType]?: DomainRepository;

  /**
   * Sets the fields of a patch, except its QR code template. Values are compared as texts: the order of a document's members counts.
   * @returns the names of the fields whose values changed.
   */
  change({ isActive, isPrimary, fallbackUrl, ...documents }: DomainPatch): string[] {
    const { appleAppSiteAssociation, androidAssetLinks } = documents;
    const fields = { isActive, isPrimary, fallbackUrl, appleAppSiteAssociation, androidAssetLinks };
    const changed = Object.entries(fields).filter(
      ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(this[name as keyof this]),
    );
    Object.assign(this, Object.fromEntries(changed));
    return changed.map(([name]) => name);
  }

  touch(now: Date): void {
    this.updatedAt = laterThan(this.updatedAt, now);
  }
}
DomainSchema.setClass(Domain);
