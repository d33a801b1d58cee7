import { uuidv7 } from '#core/lib/uuid.ts';
import type { Actor } from '#core/audit/actor.ts';
import { type DestinationDraft, webAddressesOfDestination } from '#core/links/destination.ts';
import { createEvent } from '#core/webhooks/events.ts';
import { initialPlain } from '#core/links/fields.ts';
import type { LinkDraft, RuleDraft } from '#core/links/draft.ts';
import type { WithTagNames } from '#commands/labels/tag-choice.ts';
import type { LocalAnswers } from '#core/threats/answer.ts';
import { searchText } from '#core/links/search-text.ts';
import type { Site } from '#core/links/site.ts';
import { generateSlug } from '#core/links/slugs/generate-slug.ts';
import type { DomainRow } from '#db/links/references.ts';
import type { DestinationInsert, LinkInsert, RuleInsert } from '#db/links/insert.ts';
import type { ResolvedReferences } from './references.ts';
import { deepLinkHashes } from '#commands/threats/verdicts.ts';
import { hexHashOfUrl } from '#core/threats/url-hash.ts';

export interface LinkRequest {
  actor: Actor;
  draft: LinkDraft;
  /** Hash of the draft's password. It takes tens of milliseconds, so the caller makes it before the transaction. */
  passwordHash?: string | null;
  /** Date of creation of an imported link; without: now. */
  createdAt?: Date;
  /** What the installation knows about its web addresses by itself. */
  localAnswers?: LocalAnswers | undefined;
}

/** A request that is found to be right, with its references. */
export interface ReadyLink extends Omit<LinkRequest, 'draft'> {
  draft: WithTagNames<LinkDraft>;
  references: ResolvedReferences;
  /** Ids of the organization's tags by folded name, shared by its links; tags that are created are added. */
  tagIdsByKey: Map<string, string>;
}

/**
 * Turns a request into the rows to insert, its event included.
 * @param attempt how many generated slugs of this link were taken.
 * @param options `isBulk`: one activity stands for all links of the call.
 */
export function toLinkInsert(
  { actor, draft, passwordHash = null, references: { domain, folder, tagKeys }, tagIdsByKey, ...request }: ReadyLink,
  attempt: number,
  { site, now, isBulk = false }: { site: Site; now: Date; isBulk?: boolean },
): LinkInsert {
  const id = uuidv7();
  const { createdAt = now } = request;
  const { organizationId, userId } = actor;
  const { destination, metaTags } = draft;
  const slug = draft.slug ?? generateSlug(attempt);
  const originUrl = site.originUrl(domain.domain, slug);
  const rules = toRuleRows(draft.rules ?? []);
  const qrCode = draft.qrCode === undefined ? domainTemplate(domain) : draft.qrCode;
  const plain = initialPlain(draft);
  const link = {
    id,
    slug,
    shortUrl: originUrl,
    destination: { type: destination.type, value: destination.value },
    createdAt: createdAt.toISOString(),
  };
  return {
    ...plain,
    id,
    organizationId,
    domainId: domain.id,
    folderId: folder.id,
    qrCodeId: qrCode && uuidv7(),
    createdBy: userId,
    slug,
    passwordHash,
    searchText: searchText({ slug, originUrl, destination: destination.value, ...plain }),
    createdAt,
    reportedExpiry: plain.expiresAt !== null && plain.expiresAt <= now ? plain.expiresAt : null,
    destinations: [toDestinationRow(destination, null), ...rules.destinations],
    rules: rules.rules,
    qrCode: qrCode && { options: qrCode.options, imageId: qrCode.imageId ?? null },
    metaTags: metaTags
      ? {
          title: metaTags.title ?? null,
          description: metaTags.description ?? null,
          imageId: metaTags.imageId ?? null,
        }
      : null,
    // A tag that is renamed at this moment may have been found by both of its names.
    tagIds: [...new Set(tagKeys.map((key) => tagIdsByKey.get(key)!))],
    event: createEvent('link.created', { organizationId, linkId: id, now, data: { link } }),
    activity: isBulk ? null : { keyId: actor.keyId ?? null, client: actor.client ?? null },
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
    urlHash: draft.type === 'link' ? hexHashOfUrl(draft.value) : null,
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
