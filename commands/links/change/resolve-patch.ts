import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '#core/audit/actor.ts';
import { requirePlace } from '#core/organizations/reach.ts';
import { webAddressesOfDestination } from '#core/links/destination.ts';
import { invalidFields, type Issue } from '#core/errors/errors.ts';
import type { FieldChanges } from '#core/links/change.ts';
import { patchedPlain, pickPlain, showPlain } from '#core/links/fields.ts';
import { foldCase } from '#core/lib/text/fold-case.ts';
import type { LinkPatch } from '#core/links/patch.ts';
import { linkBytes, type LinkContent, linkSizeProblem } from '#core/links/size.ts';
import type { Site } from '#core/links/site.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { ShortLink } from '#db/entities/links/links.ts';
import type { DomainRow } from '#db/links/references.ts';
import { isNameTakenDown } from '#db/links/slugs/taken-down-names.ts';
import type { LinkView } from '#db/links/view.ts';
import { changedFields, fieldsOf, showDestination } from './changed-fields.ts';
import { slugInUse } from '#commands/links/create/insert-rounds.ts';
import { domainIssues, resolveDomain } from '#commands/links/domain-choice.ts';
import { findIssues, type LinkReferences, type ReferenceRows, resolveFolder } from '#commands/links/references.ts';
import { domainTemplate, scansOf, toRuleRows } from '#commands/links/rows.ts';
import {
  type ChosenTags,
  tagIssues,
  tagNamesOf,
  withTagNames,
  type WithTagNames,
} from '#commands/labels/tag-choice.ts';

type NamedPatch = WithTagNames<LinkPatch>;

/** A patch, and the link as it is before it: `link` is locked, `view` is what answers show. */
export interface LinkToPatch {
  actor: Actor;
  link: ShortLink;
  view: LinkView;
  patch: LinkPatch;
}

export interface PatchReferences extends ReferenceRows {
  chosen: ChosenTags;
  /** The organization's tags by their folded names. */
  tagsByKey: ReadonlyMap<string, { id: string; name: string }>;
}

/** A patch that was found to be right, with what it means for the link. */
export interface ResolvedPatch {
  domain: DomainRow;
  slug: string;
  folderId: string;
  isElsewhere: boolean;
  /** The QR code that the link gets; null: none, undefined: it stays. */
  qrCode: LinkPatch['qrCode'];
  /** Names of the tags that the link gets; undefined: they stay. */
  tags: string[] | undefined;
  /** The rules that the link gets, with their destinations; undefined: they stay. */
  rules: ReturnType<typeof toRuleRows> | undefined;
  /** What changes, for the history and the event; null: nothing. */
  fields: FieldChanges | null;
  /** Web addresses to scan: `scans` are in answers, `expiredScans` is the expired URL. */
  scans: { id: string; url: string }[];
  expiredScans: { id: string; url: string }[];
}

/** Decides whether a patch may be made, and what it changes. Writes nothing. @throws AppError that refuses it. */
export async function resolvePatch(
  em: EntityManager,
  { actor, link, view, patch: sent }: LinkToPatch,
  rows: PatchReferences,
  { site, now }: { site: Site; now: Date },
): Promise<ResolvedPatch> {
  const patch = withTagNames(sent, rows.chosen, actor.organizationId);
  const tags = tagNamesOf(patch, { present: view.tags.map(({ name }) => name), chosen: rows.chosen, actor });
  const old = rows.domains.find((row) => row.id === view.domain.id);
  const stays = patch.domain === undefined && (patch.domainId ?? view.domain.id) === view.domain.id;
  const domain = stays && old !== undefined ? old : resolveDomain(patch, rows.domains, actor, site);
  const folderId = patch.folderId === undefined ? view.folderId : resolveFolder(patch, rows, actor).id;
  requirePlace(actor, { folderId, domainId: domain.id }, 'update');
  const slug = patch.slug ?? view.slug;
  const ownIssues = link.issuesOf(patchedPlain(patch), now);
  const isElsewhere = link.isElsewhere(domain.id, slug);
  if (isElsewhere && (await isNameTakenDown(em, { domain: domain.domain, slug, linkId: view.id }))) throw slugInUse();

  const issues = [...(stays ? [] : domainIssues(patch, domain, site)), ...tagIssues(patch, tags)];
  // A link can be turned off even if its other fields would be refused today.
  if (!isTurnedOff(patch))
    issues.push(...findIssues(merge(patch, view), { actor, site, domain: domain.domain, slug }, rows));
  issues.push(...ownIssues);
  const tooLarge = sizeProblem({ ...patch, tags }, view);
  if (tooLarge !== undefined) issues.push(tooLarge);
  if (issues.length > 0) throw invalidFields(issues);

  const qrCode = patch.qrCode === undefined ? inheritedQrCode(view, old, domain) : patch.qrCode;
  const rules =
    patch.rules === undefined ? undefined : toRuleRows(patch.rules ?? [], new Set(view.rules.map(({ id }) => id)));
  const before = fieldsOf(view, site);
  const after = {
    ...before,
    shortUrl: site.originUrl(domain.domain, slug),
    slug,
    domainId: domain.id,
    folderId,
    ...(patch.destination && { destination: showDestination(patch.destination) }),
    ...(rules && { rules: showRules(rules) }),
    ...(qrCode !== undefined && { qrCode: qrCode && { options: qrCode.options, imageId: qrCode.imageId ?? null } }),
    ...(patch.metaTags !== undefined && { metaTags: showMetaTags(patch.metaTags) }),
    ...(tags && { tags: tags.map((name) => rows.tagsByKey.get(foldCase(name))?.name ?? name) }),
    ...(patch.password !== undefined && { hasPassword: patch.password !== null }),
    ...showPlain({ ...pickPlain(view), ...patchedPlain(patch) }),
  };
  const fields = changedFields(before, after, { isPasswordSet: isPasswordNews(view, patch) });
  return {
    domain,
    slug,
    folderId,
    isElsewhere,
    qrCode,
    tags,
    rules,
    fields,
    ...scansOfPatch(view, patch, rules, fields),
  };
}

/** The references of a link as the patch will leave it, but for its tags. */
export function merge(patch: Omit<LinkPatch, 'tags'>, view: LinkView): LinkReferences {
  return {
    ...patch,
    destination: patch.destination ?? view.destination,
    rules: patch.rules === undefined ? view.rules : patch.rules,
    expiredUrl: patch.expiredUrl === undefined ? view.expiredUrl : patch.expiredUrl,
  };
}

/** Whether a patch turns a link off and does nothing else. */
function isTurnedOff(patch: NamedPatch): boolean {
  const sent = Object.entries(patch).filter(([, value]) => value !== undefined);
  return sent.length === 1 && patch.isActive === false;
}

/** Checks the size of a link as the patch will leave it; a link that is too large already may become smaller. */
function sizeProblem(patch: LinkPatch, view: LinkView): Issue | undefined {
  const changed: LinkContent = {
    ...view,
    ...Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)),
  };
  const problem = linkSizeProblem(changed);
  return problem !== undefined && linkBytes(changed) > linkBytes(view) ? problem : undefined;
}

/**
 * The QR template of the new domain, where a link that moves still shows the template of the old one; undefined: the QR code
 * stays.
 */
function inheritedQrCode(view: LinkView, old: DomainRow | undefined, domain: DomainRow): LinkPatch['qrCode'] {
  if (domain.id === view.domain.id) return undefined;
  const looksLikeOld = view.qrCode === null || (old && isDeepStrictEqual(view.qrCode, domainTemplate(old)));
  return looksLikeOld ? domainTemplate(domain) : undefined;
}

/** Whether a patch changes the password. A password that is set counts, though it may be the same: only hashes are stored. */
function isPasswordNews(view: LinkView, { password }: NamedPatch): boolean {
  return password !== undefined && (password !== null || view.hasPassword);
}

function showRules({ rules, destinations }: ReturnType<typeof toRuleRows>): object[] {
  return rules.map(({ priority, countries, languages, osTypes }, index) => {
    const destination = showDestination(destinations[index]!);
    return { priority, countries, languages, osTypes, destination };
  });
}

function showMetaTags(metaTags: LinkPatch['metaTags']): object {
  const { title = null, description = null, imageId = null } = metaTags ?? {};
  return { title, description, imageId };
}

/** A destination that a patch repeats is scanned again, although nothing changes. */
function scansOfPatch(
  view: LinkView,
  patch: NamedPatch,
  rules: ResolvedPatch['rules'],
  fields: FieldChanges | null,
): Pick<ResolvedPatch, 'scans' | 'expiredScans'> {
  const scans = patch.destination === undefined ? [] : webAddressesOfDestination(patch.destination);
  const ofLink = scans.map((url) => ({ id: view.destinationId, url }));
  if (fields === null) return { scans: ofLink, expiredScans: [] };
  return {
    scans: [...ofLink, ...(rules?.destinations ?? []).flatMap(scansOf)],
    expiredScans: patch.expiredUrl ? [{ id: view.id, url: patch.expiredUrl }] : [],
  };
}
