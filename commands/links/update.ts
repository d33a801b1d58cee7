// Long: a patch changes rows of every kind that a link has, in one transaction and in the order of the locks (docs/locks.md).

import { isDeepStrictEqual } from 'node:util';
import { uuidv7 } from '#core/lib/uuid.ts';
import { toActivityRow } from '#core/organizations/activity.ts';
import type { Actor } from '#core/organizations/actor.ts';
import { reachesLink, requireLink, requirePlace } from '#core/organizations/reach.ts';
import { webAddressesOfDestination } from '#core/links/destination.ts';
import { AppError, invalidFields, type Issue } from '#core/errors/errors.ts';
import { createCappedEvent, createEvent } from '#core/webhooks/events.ts';
import { patchedPlain } from '#core/links/fields.ts';
import { foldCase } from '#core/lib/fold-case.ts';
import type { LinkPatch } from '#core/links/patch.ts';
import { linkBytes, type LinkContent, linkSizeProblem } from '#core/links/size.ts';
import { searchText } from '#core/links/search-text.ts';
import { type Precondition, requireVersion } from '#core/http/version.ts';
import type { Transaction } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { withSavepoint } from '#db/connection/savepoint.ts';
import { QrCode } from '#db/entities/domains.ts';
import { LinkTag, MetaTags, ShortLink } from '#db/entities/links.ts';
import { keepChanges, type NewLinkChange } from '#db/links/changes.ts';
import type { DomainRow, ReferencedRows } from '#db/links/references.ts';
import { isNameTakenDown } from '#db/links/taken-down-names.ts';
import { type LinkView, readLinks } from '#db/links/view.ts';
import { isUniqueViolation } from '#db/connection/errors.ts';
import { enqueue } from '#db/outbox.ts';
import { notifyLinks } from '#db/notifications/notify.ts';
import { lockTags } from '#db/connection/locks.ts';
import { emit } from '#commands/events.ts';
import {
  addToChains,
  domainIssues,
  findIssues,
  readReferences,
  type ReferenceRows,
  type LinkReferences,
  resolveDomain,
  resolveFolder,
} from './references.ts';
import { domainTemplate, scansOf, toDestinationRow, toRuleRows } from './rows.ts';
import { type CreateLinksOptions, externalIdInUse, type LinkResult, slugInUse } from './create.ts';
import { changedFields, previousOf } from './changed-fields.ts';
import { reportExpired } from './expire.ts';
import { type ChosenTags, readChosenTags, tagIssues, tagNamesOf } from './tag-choice.ts';
import { createMissingTags } from './tags.ts';
import { laneOf, requestVerdicts, type Verdicts } from '#commands/threats/verdicts.ts';

/** A patch of one link. */
interface LinkChangeRequest {
  id: string;
  patch: LinkPatch;
  /** Hash of the patch's password, where it sets one. */
  passwordHash?: string | null;
  /** The version that the link must have; undefined: any. */
  ifMatch?: Precondition | undefined;
  /** Id of the change that the patch undoes. */
  undoes?: string;
}

/**
 * Changes links, 1 to 500 at once, each by itself: one that fails stops no other. Writes events and requests for threat
 * scans, keeps the changes in the links' histories, and notifies the edges.
 * @returns one result a request, in their order.
 */
export async function updateLinks(
  em: EntityManager,
  actor: Actor,
  requests: readonly LinkChangeRequest[],
  options: CreateLinksOptions,
): Promise<LinkResult[]> {
  const ids = requests.map(({ id }) => id);
  await em.getRepository(ShortLink).holdAll(ids);
  const known = new Map((await readLinks(em, ids)).map((view) => [view.id, view]));
  const clicks = await prepareEnds(em, actor, requests, known, options);
  const referring = requests.flatMap(({ id, patch }) => {
    const view = known.get(id);
    // The present domain too: the link may show its QR template, which a move replaces.
    const tags = [...(patch.tags ?? []), ...(patch.addTags ?? [])];
    return view === undefined
      ? []
      : [
          { ...merge(patch, view), tags },
          { domainId: view.domain.id, destination: view.destination },
        ];
  });
  const chosen = await readChosenTags(
    em,
    requests.map(({ patch }) => patch),
  );
  const references = await readReferences(em, [actor.organizationId], referring, options.site);
  const rows = { ...references, tags: [...references.tags, ...ownTags(chosen, actor)], chosen };
  await lockNewTags(em, actor, requests, rows);
  const results: LinkResult[] = [];
  const changes: NewLinkChange[] = [];
  for (const [index, { id, patch, passwordHash = null, ifMatch, undoes = null }] of requests.entries()) {
    if (patch.password && passwordHash === null) throw new Error('The password of a link was not hashed.');
    const update = async (): Promise<{ own: LinkView } & Applied> => {
      // An earlier request of the same call may have changed it.
      const view = ids.indexOf(id) === index ? known.get(id) : (await readLinks(em, [id]))[0];
      const own = requireLink(view, actor);
      requireVersion(ifMatch, own);
      return {
        own,
        ...(await applyPatch(em, actor, { view: own, patch, passwordHash, clicks: clicks.get(id) }, rows, options)),
      };
    };
    try {
      const { own, scans, change } = await withSavepoint(em, update, (result) => result.change !== null);
      if (change !== null) changes.push({ linkId: id, undoes, ...change });
      // A patch that repeats the destination has it scanned again, although nothing changes.
      const verdicts = await (change !== null
        ? requestScans(em, own, scans, options)
        : scanAgain(em, own, patch, options));
      results.push({ ok: true, id, verdicts });
    } catch (error) {
      results.push({ ok: false, error: toAppError(error) });
    }
  }
  await keepAll(em, actor, changes, { known, now: options.now });
  return results;
}

/** Keeps the changes in the histories of the links, and one activity for all of them. */
async function keepAll(
  em: EntityManager,
  actor: Actor,
  changes: readonly NewLinkChange[],
  { known, now }: { known: ReadonlyMap<string, LinkView>; now: Date },
): Promise<void> {
  const [linkId, ...others] = new Set(changes.map((change) => change.linkId));
  if (linkId === undefined) return;
  const fields = [...new Set(changes.flatMap((change) => Object.keys(change.fields)))];
  const isOne = others.length === 0;
  const draft = {
    action: 'shortLink.updated' as const,
    subjectId: isOne ? linkId : null,
    name: isOne ? known.get(linkId)!.slug : null,
    count: others.length + 1,
    details: { fields },
  };
  await keepChanges(em, actor, changes, toActivityRow(actor, actor.organizationId, draft, now));
}

/**
 * Prepares changes of ends and caps of the actor's links: an end that has passed is reported before another one replaces it, and
 * the counters of links that get a cap are locked. Lock order: links, then counters.
 * @returns clicks by link, of the links that get a cap.
 */
async function prepareEnds(
  em: EntityManager,
  actor: Actor,
  requests: readonly LinkChangeRequest[],
  known: ReadonlyMap<string, LinkView>,
  { site, now }: CreateLinksOptions,
): Promise<Map<string, number>> {
  const own = requests.filter(({ id }) => {
    const view = known.get(id);
    return view !== undefined && reachesLink(actor, view);
  });
  const among = own.flatMap(({ id, patch }) => {
    const { expiresAt } = known.get(id)!;
    return patch.expiresAt !== undefined && expiresAt !== null && expiresAt <= now ? id : [];
  });
  if (among.length > 0) await reportExpired(em, { site, now, limit: among.length, among });
  const capped = own.filter(({ patch }) => (patch.maxClicks ?? null) !== null);
  return em.getRepository(ShortLink).holdCounts(capped.map(({ id }) => id));
}

function ownTags(chosen: ChosenTags, { organizationId }: Actor): ReferencedRows['tags'] {
  return [...chosen.values()].filter((tag) => tag.organizationId === organizationId);
}

/** Lock order: the tags of an organization, then names of links, which other transactions may wait for. */
async function lockNewTags(
  tx: Transaction,
  { organizationId }: Actor,
  requests: readonly LinkChangeRequest[],
  { tags }: ReferencedRows,
): Promise<void> {
  const known = new Set(tags.map(({ nameKey }) => nameKey));
  const isNew = (name: string): boolean => !known.has(foldCase(name));
  if (requests.some(({ patch }) => [...(patch.tags ?? []), ...(patch.addTags ?? [])].some(isNew)))
    await lockTags(tx, organizationId);
}

/** The references of a link as the patch will leave it. */
function merge(patch: LinkPatch, view: LinkView): LinkReferences {
  return {
    ...patch,
    destination: patch.destination ?? view.destination,
    rules: patch.rules === undefined ? view.rules : patch.rules,
    expiredUrl: patch.expiredUrl === undefined ? view.expiredUrl : patch.expiredUrl,
  };
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

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isUniqueViolation(error, 'short_links_slug_key')) return slugInUse();
  if (isUniqueViolation(error, 'short_links_external_id_key')) {
    return externalIdInUse();
  }
  throw error;
}

// Of a part that is undone no entity stays.
const unmanaged = { disableIdentityMap: true } as const;

interface Change {
  view: LinkView;
  patch: LinkPatch;
  passwordHash: string | null;
  /** Of a link that gets a cap, its clicks, which are locked. */
  clicks: number | undefined;
}

/** The web addresses to scan, and what changed. Null: nothing, and the caller rolls back. */
interface Applied {
  scans: Scans;
  change: Pick<NewLinkChange, 'at' | 'fields'> | null;
}

/** Writes the changes and their event. */
async function applyPatch(
  em: EntityManager,
  actor: Actor,
  { view, patch: sent, passwordHash, clicks }: Change,
  rows: ReferenceRows & { chosen: ChosenTags },
  { site, now }: CreateLinksOptions,
): Promise<Applied> {
  const { id, organizationId } = view;
  const present = view.tags.map(({ name }) => name);
  const patch = { ...sent, tags: tagNamesOf(sent, { present, chosen: rows.chosen, actor }) };
  const old = rows.domains.find((row) => row.id === view.domain.id);
  const stays = patch.domain === undefined && (patch.domainId ?? view.domain.id) === view.domain.id;
  const domain = stays && old !== undefined ? old : resolveDomain(patch, rows.domains, actor, site);
  const folderId = patch.folderId === undefined ? view.folderId : resolveFolder(patch, rows, actor).id;
  requirePlace(actor, { folderId, domainId: domain.id }, 'update');
  const slug = patch.slug ?? view.slug;
  const originUrl = site.originUrl(domain.domain, slug);
  const merged = merge(patch, view);
  if (view.takenDown !== null && patch.isActive === true) throw takenDown(view.takenDown.reason);
  const isElsewhere = domain.id !== view.domain.id || slug !== view.slug;
  if (isElsewhere && (await isNameTakenDown(em, { domain: domain.domain, slug, linkId: id }))) throw slugInUse();
  const context = { actor, site, domain: domain.domain, slug };
  // A link can be turned off even if its other fields would be refused today.
  const issues = [...(stays ? [] : domainIssues(patch, domain, site)), ...tagIssues(sent, patch.tags)];
  if (!isTurnedOff(sent)) issues.push(...findIssues(merged, context, rows));
  const expiresAnew = patch.expiresAt && patch.expiresAt.getTime() !== view.expiresAt?.getTime();
  if (expiresAnew && patch.expiresAt! <= now) issues.push({ path: 'expiresAt', message: 'must be in the future' });
  const tooLarge = sizeProblem(patch, view);
  if (tooLarge !== undefined) issues.push(tooLarge);
  if (issues.length > 0) throw invalidFields(issues);

  const qrCode = patch.qrCode === undefined ? inheritedQrCode(view, old, domain) : patch.qrCode;
  const qrCodeId = qrCode === undefined ? view.qrCodeId : qrCode === null ? null : (view.qrCodeId ?? uuidv7());
  if (qrCode && qrCodeId) {
    const { options, imageId: image = null } = qrCode;
    await em.upsert(QrCode, { id: qrCodeId, organization: organizationId, options, image, updatedAt: now }, unmanaged);
  }
  const plain = patchedPlain(patch);
  const columns = {
    ...plain,
    domain: domain.id,
    folder: folderId,
    qrCode: qrCodeId,
    slug,
    searchText: searchText({
      ...view,
      ...plain,
      slug,
      originUrl,
      destination: (patch.destination ?? view.destination).value,
    }),
    ...(patch.password !== undefined && { passwordHash }),
  };
  const links = em.getRepository(ShortLink);
  await links.change(id, columns, now);
  if (view.maxClicks === null && (patch.maxClicks ?? null) !== null) await links.openCap(id);
  if (qrCode === null && view.qrCodeId !== null) await em.nativeDelete(QrCode, { id: view.qrCodeId });
  if (patch.metaTags !== undefined) await setMetaTags(em, id, patch.metaTags);
  if (patch.tags !== undefined) await setTags(em, actor, view, patch.tags, rows);
  const scans = await setDestinations(em, view, patch);

  const [after] = await readLinks(em, [id]);
  const fields = changedFields(view, after!, { site, isPasswordSet: isPasswordNews(view, patch) });
  if (fields === null) return { scans, change: null };
  const { type, value } = after!.destination;
  const data = {
    link: {
      id,
      slug,
      shortUrl: originUrl,
      destination: { type, value },
      updatedAt: after!.updatedAt.toISOString(),
    },
    previous: previousOf(fields),
  };
  await emit(em, [createEvent('link.updated', { organizationId, linkId: id, now, data })]);
  const { maxClicks } = after!;
  // Clicks that come later are compared with the cap where they are counted (`writeCapEvents`).
  if (clicks !== undefined && isCapped(maxClicks, clicks) && !isCapped(view.maxClicks, clicks)) {
    const link = { id, organizationId, slug, domain: domain.domain, maxClicks: maxClicks!, clicks };
    await emit(em, [createCappedEvent(link, site, now)]);
  }
  const moved = isElsewhere ? [{ domainId: domain.id, slug }] : [];
  await notifyLinks(em, [{ domainId: view.domain.id, slug: view.slug }, ...moved]);
  addToChains(merged, domain.domain, slug, rows);
  const isAsked = isElsewhere || [patch.cloaking, patch.destination, patch.rules].some((sent) => sent !== undefined);
  if (isAsked && after!.cloaking) await enqueue(em, 'frame-check', [id]);
  return { scans, change: { at: after!.updatedAt, fields } };
}

/** Whether a patch turns a link off and does nothing else. */
function isTurnedOff(patch: LinkPatch): boolean {
  const sent = Object.entries(patch).filter(([, value]) => value !== undefined);
  return sent.length === 1 && patch.isActive === false;
}

function takenDown(reason: string): AppError {
  const message = 'The operator has taken this short link down: it cannot be turned on.';
  return new AppError('FORBIDDEN', message, { reason });
}

function isCapped(maxClicks: number | null, clicks: number): boolean {
  return maxClicks !== null && clicks >= maxClicks;
}

/** Whether a patch changes the password. A password that is set counts, though it may be the same: only hashes are stored. */
function isPasswordNews(view: LinkView, { password }: LinkPatch): boolean {
  return password !== undefined && (password !== null || view.hasPassword);
}

/** Web addresses to scan: `shown` are in answers, `expired` is the expired URL. */
interface Scans {
  shown: { id: string; url: string }[];
  expired: { id: string; url: string }[];
}

/** @returns the verdicts of the addresses that answers show. */
async function requestScans(
  tx: Transaction,
  { organizationId }: LinkView,
  { shown, expired }: Scans,
  { isBulk = false, localAnswers }: CreateLinksOptions,
): Promise<Verdicts> {
  const verdicts = await requestVerdicts(tx, laneOf(organizationId, shown, { isBulk, localAnswers }));
  await requestVerdicts(tx, laneOf(organizationId, expired, { isBulk, localAnswers }));
  return verdicts;
}

/** Requests the verdicts of a destination that a patch repeats. */
async function scanAgain(
  tx: Transaction,
  view: LinkView,
  patch: LinkPatch,
  { localAnswers }: CreateLinksOptions,
): Promise<Verdicts> {
  if (patch.destination === undefined) return new Map();
  const scans = webAddressesOfDestination(view.destination).map((url) => ({ id: view.destinationId, url }));
  return requestVerdicts(tx, laneOf(view.organizationId, scans, { localAnswers }));
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

/** Replaces the preview of a link; null removes it. */
async function setMetaTags(em: EntityManager, link: string, metaTags: LinkPatch['metaTags'] | null): Promise<void> {
  if (!metaTags) {
    await em.nativeDelete(MetaTags, { link });
    return;
  }
  const { title = null, description = null, imageId: image = null } = metaTags;
  await em.upsert(MetaTags, { link, title, description, image }, unmanaged);
}

async function setTags(
  em: EntityManager,
  actor: Actor,
  { id: link, tags: present }: LinkView,
  names: readonly string[],
  rows: ReferencedRows,
): Promise<void> {
  const known = new Map([
    ...present.map(({ name, id }) => [foldCase(name), id] as const),
    ...rows.tags.map(({ nameKey, id }) => [nameKey, id] as const),
  ]);
  const added = await createMissingTags(em, actor, names, known);
  const keys = [...new Set(names.map(foldCase))];
  await em.nativeDelete(LinkTag, { link });
  const linkTags = keys.map((key, position) => ({ link, tag: (known.get(key) ?? added.get(key))!, position }));
  if (linkTags.length > 0) await em.insertMany(LinkTag, linkTags);
}

/** Writes the destinations that a patch changes. @returns the new web addresses. */
async function setDestinations(em: EntityManager, view: LinkView, patch: LinkPatch): Promise<Scans> {
  const links = em.getRepository(ShortLink);
  const shown: Scans['shown'] = [];
  if (patch.destination !== undefined) {
    // It keeps its id.
    await links.setDestination(view.destinationId, toDestinationRow(patch.destination, null));
    shown.push(...webAddressesOfDestination(patch.destination).map((url) => ({ id: view.destinationId, url })));
  }
  if (patch.rules !== undefined) {
    const kept = new Set(view.rules.map((rule) => rule.id));
    const { rules, destinations } = toRuleRows(patch.rules ?? [], kept);
    await links.replaceRules(view.id, rules, destinations);
    shown.push(...destinations.flatMap(scansOf));
  }
  return { shown, expired: patch.expiredUrl ? [{ id: view.id, url: patch.expiredUrl }] : [] };
}
