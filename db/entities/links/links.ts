import { defineEntity, type EntityRepositoryType, type InferEntity, p } from '@mikro-orm/core';
import { AppError, invalid, invalidFields, type Issue } from '#core/errors/errors.ts';
import type { LabelPatch } from '#core/labels/label.ts';
import type { PlainValues } from '#core/links/fields.ts';
import { laterThan } from '#core/lib/later-than.ts';
import type { OsType } from '#core/links/draft.ts';
import { foldCase } from '#core/lib/text/fold-case.ts';
import type { FolderRepository } from '#db/labels/folders.ts';
import type { ShortLinkRepository } from '#db/links/short-links.ts';
import type { TagRepository } from '#db/labels/tags.ts';
import { Domain, QrCode } from '#db/entities/domains.ts';
import { File } from '#db/entities/files.ts';
import { live, tenant } from '#db/connection/lists/filters.ts';
import { Organization, User } from '#db/entities/accounts/people.ts';

/** What folders and tags have in common. `nameKey` is the name folded, so that names are unique without regard to case. */
const labelColumns = () => ({
  id: p.uuid().primary(),
  organization: () => p.manyToOne(Organization),
  name: p.text(),
  nameKey: p.text(),
  color: p.text(),
  createdAt: p.datetime(3).defaultRaw('now()'),
  updatedAt: p.datetime(3).defaultRaw('now()'),
  deletedAt: p.datetime(3).nullable(),
});

function changeLabel(label: Pick<Tag, 'name' | 'color'>, patch: LabelPatch, now: Date): void {
  const { name = label.name, color = label.color } = patch;
  if (name === label.name && color === label.color) return;
  Object.assign(label, { name, nameKey: foldCase(name), color, updatedAt: now });
}

export const FolderSchema = defineEntity({
  name: 'Folder',
  tableName: 'folders',
  filters: { live, tenant },
  properties: { ...labelColumns(), isDefault: p.boolean().default(false) },
  indexes: [{ name: 'folders_organization_id_idx', properties: ['organization'] }],
  uniques: [
    { name: 'folders_name_key', properties: ['organization', 'nameKey'], where: 'deleted_at is null' },
    { name: 'folders_default_key', properties: ['organization'], where: 'is_default and deleted_at is null' },
  ],
});

export class Folder extends FolderSchema.class {
  declare [EntityRepositoryType]?: FolderRepository;

  /**
   * Changes name, color or both. The default folder keeps its name.
   * @throws AppError VALIDATION_ERROR for another name of the default folder.
   */
  change(patch: LabelPatch, now: Date): void {
    if (this.isDefault && (patch.name ?? this.name) !== this.name)
      throw invalid('name', 'of the default folder cannot be changed');
    changeLabel(this, patch, now);
  }
}
FolderSchema.setClass(Folder);

export const TagSchema = defineEntity({
  name: 'Tag',
  tableName: 'tags',
  filters: { live, tenant },
  properties: labelColumns(),
  indexes: [{ name: 'tags_organization_id_idx', properties: ['organization'] }],
  uniques: [{ name: 'tags_name_key', properties: ['organization', 'nameKey'], where: 'deleted_at is null' }],
});

export class Tag extends TagSchema.class {
  declare [EntityRepositoryType]?: TagRepository;

  change(patch: LabelPatch, now: Date): void {
    changeLabel(this, patch, now);
  }
}
TagSchema.setClass(Tag);

export const ShortLinkSchema = defineEntity({
  name: 'ShortLink',
  tableName: 'short_links',
  filters: { live, tenant },
  properties: {
    id: p.uuid().primary(),
    // The folder's foreign key stands for those of organization and creator, which are removed after it (ADR 66).
    organization: () => p.manyToOne(Organization).createForeignKeyConstraint(false),
    domain: () => p.manyToOne(Domain),
    folder: () => p.manyToOne(Folder).index('short_links_folder_id_idx'),
    qrCode: () => p.manyToOne(QrCode).nullable().deleteRule('no action'),
    /** Null: its creator is unknown, or a delete of its domain or organization has taken it off. */
    createdBy: () => p.manyToOne(User).nullable().createForeignKeyConstraint(false).fieldName('created_by'),
    slug: p.text(),
    externalId: p.text().nullable(),
    title: p.text().nullable(),
    notes: p.text().nullable(),
    isActive: p.boolean().default(true),
    isArchived: p.boolean().default(false),
    expiresAt: p.datetime(3).nullable(),
    expiredUrl: p.text().nullable(),
    /** The `expiresAt` for which `link.expired` was sent; null: none. */
    reportedExpiry: p.datetime(3).nullable(),
    maxClicks: p.bigint('number').nullable(),
    passwordHash: p.text().nullable().hidden().lazy(),
    cloaking: p.boolean().default(false),
    forwardQuery: p.boolean().default(false),
    utmSource: p.text().nullable(),
    utmMedium: p.text().nullable(),
    utmCampaign: p.text().nullable(),
    utmTerm: p.text().nullable(),
    utmContent: p.text().nullable(),
    /** Slug, short URL, destination, title and notes, folded. */
    searchText: p.text().default('').lazy(),
    /** When staff took it down; null: they did not. It is off meanwhile. */
    takenDownAt: p.datetime(3).nullable(),
    takenDownReason: p.text().nullable(),
    /** What `isActive` is again after the take-down. */
    activeBeforeTakeDown: p.boolean().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
    deletedAt: p.datetime(3).nullable(),
  },
  indexes: [
    {
      name: 'short_links_search_idx',
      expression: `create index short_links_search_idx on short_links using gin (organization_id, search_text gin_trgm_ops) where (deleted_at is null)`,
    },
    // The order of the list: newest first by (createdAt, id).
    {
      name: 'short_links_organization_id_idx',
      properties: ['organization', 'createdAt', 'id'],
      where: 'deleted_at is null',
    },
    {
      name: 'short_links_slug_key',
      expression: `create unique index short_links_slug_key on short_links (domain_id, replace(slug, U&'\\FE0F', '')) where (deleted_at is null)`,
    },
    {
      name: 'short_links_expiry_idx',
      properties: ['expiresAt'],
      where: 'deleted_at is null and expires_at is not null and reported_expiry is distinct from expires_at',
    },
    {
      name: 'short_links_ends_idx',
      properties: ['organization', 'expiresAt'],
      where: 'deleted_at is null and expires_at is not null',
    },
    {
      name: 'short_links_archived_idx',
      properties: ['organization'],
      where: 'is_archived and deleted_at is null',
    },
    { name: 'short_links_qr_code_id_idx', properties: ['qrCode'], where: 'qr_code_id is not null' },
    { name: 'short_links_created_by_idx', properties: ['createdBy'], where: 'created_by is not null' },
    {
      name: 'short_links_expired_url_idx',
      expression: `create index short_links_expired_url_idx on short_links (hash_of_url(expired_url)) where (expired_url is not null and deleted_at is null)`,
    },
  ],
  // They keep LinkTotal.
  triggers: [
    {
      name: 'count_inserted',
      timing: 'after',
      events: ['insert'],
      forEach: 'statement',
      expression: `create trigger count_inserted after insert on short_links
        referencing new table as new_links for each statement execute function count_inserted_links()`,
    },
    {
      name: 'count_updated',
      timing: 'after',
      events: ['update'],
      forEach: 'statement',
      expression: `create trigger count_updated after update on short_links
        referencing old table as old_links new table as new_links for each statement execute function count_updated_links()`,
    },
    {
      name: 'count_deleted',
      timing: 'after',
      events: ['delete'],
      forEach: 'statement',
      expression: `create trigger count_deleted after delete on short_links
        referencing old table as old_links for each statement execute function count_deleted_links()`,
    },
  ],
  uniques: [
    {
      name: 'short_links_external_id_key',
      properties: ['organization', 'externalId'],
      where: 'deleted_at is null and external_id is not null',
    },
  ],
});

/** The columns of a link that a change sets. */
interface LinkFields extends Partial<PlainValues> {
  domain?: ShortLink['domain'];
  slug?: string;
  folder?: ShortLink['folder'];
  qrCode?: ShortLink['qrCode'];
  passwordHash?: string | null;
  searchText?: string;
}

/** A short link. Its own destination is the row of `destinations` without a rule. `updatedAt`, its version, moves on with each change. */
export class ShortLink extends ShortLinkSchema.class {
  declare [EntityRepositoryType]?: ShortLinkRepository;

  /**
   * Finds what is wrong with new values of its fields, the clock and the present values considered.
   * @throws AppError FORBIDDEN where staff took it down and it is to be turned on.
   */
  issuesOf({ isActive, expiresAt }: LinkFields, now: Date): Issue[] {
    if (this.takenDownAt && isActive === true) {
      const message = 'The operator has taken this short link down: it cannot be turned on.';
      throw new AppError('FORBIDDEN', message, { reason: this.takenDownReason! });
    }
    // An end that has passed stays when it is sent again.
    const isNewEnd = expiresAt && expiresAt.getTime() !== this.expiresAt?.getTime();
    return isNewEnd && expiresAt <= now ? [{ path: 'expiresAt', message: 'must be in the future' }] : [];
  }

  /**
   * Changes fields: moving, archiving, restoring, turning on and off are such changes.
   * @throws AppError as `issuesOf`; VALIDATION_ERROR with the issues.
   */
  change(fields: LinkFields, now: Date): void {
    const issues = this.issuesOf(fields, now);
    if (issues.length > 0) throw invalidFields(issues);
    Object.assign(this, fields, { updatedAt: laterThan(this.updatedAt, now) });
  }

  /** Whether a domain and a slug are another address than its own. */
  isElsewhere(domainId: string, slug: string): boolean {
    return domainId !== this.domain.id || slug !== this.slug;
  }

  /** Turns it off until `endTakeDown`; a second take-down gives another reason. */
  takeDown(reason: string, now: Date): void {
    if (!this.takenDownAt) Object.assign(this, { takenDownAt: now, activeBeforeTakeDown: this.isActive });
    Object.assign(this, { takenDownReason: reason, updatedAt: laterThan(this.updatedAt, now) });
  }

  /**
   * Ends its take-down.
   * @returns whether it was on before. @throws AppError CONFLICT where it is not taken down.
   */
  endTakeDown(now: Date): boolean {
    if (!this.takenDownAt) throw new AppError('CONFLICT', 'This short link is not taken down.');
    const wasActive = this.activeBeforeTakeDown === true;
    Object.assign(this, { takenDownAt: null, takenDownReason: null, activeBeforeTakeDown: null });
    this.updatedAt = laterThan(this.updatedAt, now);
    return wasActive;
  }

  /** Marks its end as reported by `link.expired`. @returns when that was. */
  reportEnd(): Date {
    this.reportedExpiry = this.expiresAt!;
    return this.expiresAt!;
  }

  /** Deletes it: its name is free at once. */
  delete(now: Date): void {
    this.deletedAt = now;
  }
}
ShortLinkSchema.setClass(ShortLink);

/** A name that no other link may have: staff took the link down that had it, which may be renamed or deleted since. */
export const TakenDownName = defineEntity({
  name: 'TakenDownName',
  tableName: 'taken_down_names',
  properties: {
    slugKey: p.text().primary(),
    /** A name, not an id: the domain may be deleted and added again. */
    domain: p.text().primary(),
    linkId: p.uuid().index('taken_down_names_link_id_idx'),
    organizationId: p.uuid(),
    takenDownAt: p.datetime(3),
  },
});
/** A name of a link that staff took down. It outlives link, domain and organization: no foreign keys. */
export type TakenDownName = InferEntity<typeof TakenDownName>;

/** A routing rule of a link. `position` keeps the order given among equal priorities. */
export const Rule = defineEntity({
  name: 'Rule',
  tableName: 'rules',
  properties: {
    id: p.uuid().primary(),
    link: () => p.manyToOne(ShortLink).index('rules_link_id_idx'),
    priority: p.double(),
    position: p.integer(),
    countries: p.array().nullable(),
    languages: p.array().nullable(),
    osTypes: p.array().$type<OsType[]>().nullable(),
  },
});

/** Destination of a link (`rule` null) or of one of its rules. `urlHash` is the key of its threat verdict. */
export const Destination = defineEntity({
  name: 'Destination',
  tableName: 'destinations',
  properties: {
    id: p.uuid().primary(),
    link: () => p.manyToOne(ShortLink),
    rule: () => p.manyToOne(Rule).nullable().deleteRule('cascade'),
    type: p.enum(['link', 'mail', 'phone']),
    value: p.text(),
    urlHash: p.blob().nullable(),
    enableDeepLinking: p.boolean().default(false),
    iosDeepLink: p.text().nullable(),
    androidDeepLink: p.text().nullable(),
    /** Keys of the verdicts of its deep links' web addresses, without that of `value`. */
    deepLinkHashes: p.array().columnType('bytea[]').nullable(),
    /** `urlHash` of the address that refused to be shown in a frame; another value than `urlHash`: not known of this one. */
    framesRefusedBy: p.blob().nullable(),
  },
  indexes: [
    { name: 'destinations_url_hash_idx', properties: ['urlHash'], where: 'url_hash is not null' },
    {
      name: 'destinations_deep_link_hashes_idx',
      expression: `create index destinations_deep_link_hashes_idx on destinations using gin (deep_link_hashes) with (fastupdate = off) where deep_link_hashes is not null`,
    },
    {
      name: 'destinations_link_key',
      expression: `create unique index destinations_link_key on destinations (link_id, rule_id) nulls not distinct`,
    },
  ],
  uniques: [{ name: 'destinations_rule_key', properties: ['rule'], where: 'rule_id is not null' }],
});

/** Open Graph title, description and image, for previews of a link. */
export const MetaTags = defineEntity({
  name: 'MetaTags',
  tableName: 'meta_tags',
  properties: {
    link: () => p.oneToOne(ShortLink).owner().primary(),
    title: p.text().nullable(),
    description: p.text().nullable(),
    image: () => p.manyToOne(File).nullable().deleteRule('no action').index('meta_tags_image_id_idx'),
  },
});

/** A tag of a link; `position` keeps the order in which tags were given. */
export const LinkTag = defineEntity({
  name: 'LinkTag',
  tableName: 'link_tags',
  properties: {
    link: () => p.manyToOne(ShortLink).primary(),
    tag: () => p.manyToOne(Tag).primary().index('link_tags_tag_id_idx'),
    position: p.integer(),
  },
});

/** Number of an organization's live links, in parts to be added up; triggers of `short_links` keep them. */
export const LinkTotal = defineEntity({
  name: 'LinkTotal',
  tableName: 'link_totals',
  properties: {
    organizationId: p.uuid().primary(),
    shard: p.integer().primary(),
    links: p.bigint('number'),
  },
});
