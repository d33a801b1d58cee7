import { uuidv7 } from '#core/lib/uuid.ts';
import type { Actor } from '#core/organizations/actor.ts';
import { type DestinationDraft, webAddressesOfDestination } from '#core/links/destination.ts';
import { createEvent } from '#core/webhooks/events.ts';
import { initialPlain } from '#core/links/fields.ts';
import type { LinkDraft, RuleDraft } from '#core/links/draft.ts';
import { searchText } from '#core/links/search-text.ts';
import type { Site } from '#core/links/site.ts';
import { generateSlug } from '#core/links/generate-slug.ts';
import type { DomainRow } from '#db/links/references.ts';
import type { DestinationInsert, LinkInsert, RuleInsert } from '#db/links/insert.ts';
import type { ResolvedReferences } from './references.ts';
import { deepLinkHashes, hexUrlHash } from '#commands/threats/verdicts.ts';

/** A draft with its references found and its password hashed. */
export interface ReadyDraft {
  actor: Actor;
  draft: LinkDraft;
  createdAt: Date;
  references: ResolvedReferences;
  /** Ids of the organization's tags by folded name, the draft's tags among them. */
  tagIds: ReadonlyMap<string, string>;
  passwordHash: string | null;
}

interface RowContext {
  site: Site;
  now: Date;
  /** Whether one activity stands for all links of the call. */
  isBulk: boolean;
}

/**
 * Turns a draft into the rows to insert, its event included.
 * @param attempt how many generated slugs of this draft were taken.
 */
export function toLinkInsert(
  { actor, draft, createdAt, references: { domain, folder, tagKeys }, tagIds, passwordHash }: ReadyDraft,
  attempt: number,
  { site, now, isBulk }: RowContext,
): LinkInsert {
  const id = uuidv7();
  const slug = draft.slug ?? generateSlug(attempt);
  const originUrl = site.originUrl(domain.domain, slug);
  const { organizationId, userId } = actor;
  const rules = toRuleRows(draft.rules ?? []);
  const qrCode = draft.qrCode === undefined ? domainTemplate(domain) : draft.qrCode;
  const qrCodeId = qrCode === null ? null : uuidv7();
  const { destination } = draft;
  const plain = initialPlain(draft);
  return {
    link: {
      id,
      organizationId,
      domainId: domain.id,
      folderId: folder.id,
      qrCodeId,
      createdBy: userId,
      slug,
      passwordHash,
      searchText: searchText({ slug, originUrl, destination: destination.value, ...plain }),
      createdAt,
      reportedExpiry: plain.expiresAt !== null && plain.expiresAt <= now ? plain.expiresAt : null,
      ...plain,
    },
    destinations: [toDestinationRow(destination, null), ...rules.destinations],
    rules: rules.rules,
    qrCode:
      qrCode === null || qrCodeId === null
        ? null
        : { id: qrCodeId, organizationId, options: qrCode.options, imageId: qrCode.imageId ?? null },
    metaTags: draft.metaTags
      ? {
          title: draft.metaTags.title ?? null,
          description: draft.metaTags.description ?? null,
          imageId: draft.metaTags.imageId ?? null,
        }
      : null,
    tagIds: tagKeys.map((key) => tagIds.get(key)!),
    event: createEvent('link.created', {
      organizationId,
      linkId: id,
      now,
      data: {
        link: {
          id,
          slug,
          shortUrl: originUrl,
          destination: { type: destination.type, value: destination.value },
          createdAt: createdAt.toISOString(),
        },
      },
    }),
    activity: isBulk ? null : { keyId: actor.keyId ?? null },
  };
}

/** Copies the domain's QR template for a new link; null where the domain has none. */
export function domainTemplate({ qrOptions, qrImageId }: DomainRow) {
  return qrOptions === null ? null : { options: qrOptions, imageId: qrImageId };
}

/**
 * Turns rules into rows, in their order of evaluation.
 * @param keptIds ids of the link's present rules: a rule that is sent with one of them keeps it.
 */
export function toRuleRows(
  drafts: readonly RuleDraft[],
  keptIds: ReadonlySet<string> = new Set(),
): { rules: RuleInsert[]; destinations: DestinationInsert[] } {
  const used = new Set<string>();
  // The sort is stable: rules of equal priority keep the order given.
  const sorted = drafts.toSorted((one, other) => one.priority - other.priority);
  const rows = sorted.map((draft, position) => {
    const keeps = draft.id !== undefined && keptIds.has(draft.id) && !used.has(draft.id);
    const id = keeps ? draft.id! : uuidv7();
    used.add(id);
    return { draft, id, position };
  });
  return {
    rules: rows.map(({ draft: { priority, countries, languages, osTypes }, id, position }) => ({
      id,
      priority,
      position,
      countries: countries ?? null,
      languages: languages ?? null,
      osTypes: osTypes ?? null,
    })),
    destinations: rows.map(({ draft, id }) => toDestinationRow(draft.destination, id)),
  };
}

/** Turns a destination into its row. @param ruleId null for the link's own. */
export function toDestinationRow(draft: DestinationDraft, ruleId: string | null): DestinationInsert {
  return {
    id: uuidv7(),
    ruleId,
    type: draft.type,
    value: draft.value,
    urlHash: draft.type === 'link' ? hexUrlHash(draft.value) : null,
    enableDeepLinking: draft.enableDeepLinking,
    iosDeepLink: draft.iosDeepLink,
    androidDeepLink: draft.androidDeepLink,
    deepLinkHashes: deepLinkHashes(draft),
  };
}

/** The web addresses of a new destination, to request their verdicts. */
export function scansOf(row: DestinationInsert): { id: string; url: string; urlHash: string | null }[] {
  return webAddressesOfDestination(row).map((url) => ({
    id: row.id,
    url,
    urlHash: url === row.value ? row.urlHash : null,
  }));
}

/** Keys (hex) of all verdicts about a new destination. */
export function hashesOf({ urlHash: hash, deepLinkHashes: others }: DestinationInsert): string[] {
  return [...(hash === null ? [] : [hash]), ...(others ?? [])];
}
