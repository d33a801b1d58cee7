import { detailsOfChange, toActivityRow } from '#core/audit/activity.ts';
import type { Actor } from '#core/audit/actor.ts';
import { reachesLink, requireLink } from '#core/organizations/reach.ts';
import { type AppError, orThrow } from '#core/errors/errors.ts';
import { createCappedEvent, createEvent, type EventDraft } from '#core/webhooks/events.ts';
import { foldCase } from '#core/lib/text/fold-case.ts';
import type { LinkPatch } from '#core/links/patch.ts';
import type { Site } from '#core/links/site.ts';
import { type Precondition, requireVersion } from '#core/http/version.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ShortLink } from '#db/entities/links/links.ts';
import { keepChanges, type NewLinkChange } from '#db/links/changes.ts';
import { type LinkView, readLinks } from '#db/links/view.ts';
import { enqueue } from '#db/outbox.ts';
import { notifyLinks } from '#db/notifications/notify.ts';
import { lockPart } from '#db/connection/locks.ts';
import { insertEvents } from '#db/webhooks/insert-events.ts';
import { addToChains, readReferences } from '#commands/links/references.ts';
import type { CreateLinksOptions } from '#commands/links/create/create.ts';
import type { LocalAnswers } from '#core/threats/answer.ts';
import { previousOf } from './changed-fields.ts';
import { reportExpired } from '#commands/links/expire.ts';
import { type LinkToPatch, merge, type PatchReferences, type ResolvedPatch, resolvePatch } from './resolve-patch.ts';
import { readChosenTags, withTagNames } from '#commands/labels/tag-choice.ts';
import { toRefusal, writePatch } from './write-patch.ts';
import { withLanes, pickVerdicts, requestVerdicts, type Verdicts } from '#commands/threats/verdicts.ts';
import { hexHashOfUrl } from '#core/threats/url-hash.ts';

/** A changed link. `verdicts` are those of the web addresses that it leads to before it expires. */
export interface UpdatedLink {
  id: string;
  verdicts: Verdicts;
}

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

export interface UpdateLinksOptions extends CreateLinksOptions {
  /** What the installation knows about the patches' web addresses by itself. */
  localAnswers?: LocalAnswers;
}

/** What the requests of a call refer to, locked. */
interface UpdateRows {
  links: ReadonlyMap<string, ShortLink>;
  views: Map<string, LinkView>;
  references: PatchReferences;
  /** Clicks by link, of links that get a cap; their counters are locked. */
  clicks: ReadonlyMap<string, number>;
}

/** A request that was carried out; `view` is the link before it. `resolved.fields` is null where nothing changed. */
interface Done {
  request: LinkChangeRequest;
  link: ShortLink;
  view: LinkView;
  resolved: ResolvedPatch;
  updatedAt: Date;
}

/**
 * Changes links, 1 to 500 at once, each by itself: one that fails stops no other. Writes events and requests for threat
 * scans, keeps the changes in the links' histories, and notifies the edges.
 * @returns for each request, in their order, its link or the error that refuses it.
 */
export async function updateLinks(
  em: EntityManager,
  actor: Actor,
  requests: readonly LinkChangeRequest[],
  options: UpdateLinksOptions,
): Promise<(UpdatedLink | AppError)[]> {
  const known = await readUpdateRows(em, actor, requests, options);
  const ids = requests.map(({ id }) => id);
  const outcomes: (Done | AppError)[] = [];
  for (const [index, request] of requests.entries()) {
    // An earlier request of the same call may have changed it.
    if (ids.indexOf(request.id) !== index) await readAgain(em, request.id, known);
    outcomes.push(await updateOne(em, actor, request, known, options));
  }
  await em.flush();
  const done = outcomes.filter((outcome): outcome is Done => 'resolved' in outcome);
  const changed = done.filter(({ resolved }) => resolved.fields !== null);
  await report(em, changed, known, options);
  await keepHistory(em, actor, changed, options);
  const verdicts = await requestScans(em, done, options);
  return outcomes.map((outcome) => {
    if (!('resolved' in outcome)) return outcome;
    const hashes = outcome.resolved.scans.map(({ url }) => hexHashOfUrl(url));
    return { id: outcome.request.id, verdicts: pickVerdicts(verdicts, hashes) };
  });
}

/** Changes one link. @throws AppError that refuses it. */
export async function updateLink(
  em: EntityManager,
  actor: Actor,
  request: LinkChangeRequest,
  options: UpdateLinksOptions,
): Promise<UpdatedLink> {
  const [changed] = await updateLinks(em, actor, [request], options);
  return orThrow(changed!);
}

/** Locks the links and what they will refer to. Lock order: links, then counters, then references (docs/locks.md). */
async function readUpdateRows(
  em: EntityManager,
  actor: Actor,
  requests: readonly LinkChangeRequest[],
  options: CreateLinksOptions,
): Promise<UpdateRows> {
  const ids = requests.map(({ id }) => id);
  const links = new Map((await em.getRepository(ShortLink).holdAll(ids)).map((link) => [link.id, link]));
  const views = new Map((await readLinks(em, ids)).map((view) => [view.id, view]));
  const own = requests.filter(({ id }) => views.has(id) && reachesLink(actor, views.get(id)!));
  await reportReplacedEnds(em, own, views, options);
  const capped = own.filter(({ patch }) => (patch.maxClicks ?? null) !== null);
  const clicks = await em.getRepository(ShortLink).holdCounts(capped.map(({ id }) => id));
  return { links, views, clicks, references: await readPatchReferences(em, actor, requests, views, options) };
}

/** Reports the ends that have passed and that patches replace. */
async function reportReplacedEnds(
  em: EntityManager,
  own: readonly LinkChangeRequest[],
  views: ReadonlyMap<string, LinkView>,
  { site, now }: CreateLinksOptions,
): Promise<void> {
  const among = own.flatMap(({ id, patch }) => {
    const { expiresAt } = views.get(id)!;
    return patch.expiresAt !== undefined && expiresAt !== null && expiresAt <= now ? id : [];
  });
  if (among.length > 0) await reportExpired(em, { site, now, limit: among.length, among });
}

async function readPatchReferences(
  em: EntityManager,
  actor: Actor,
  requests: readonly LinkChangeRequest[],
  views: ReadonlyMap<string, LinkView>,
  { site }: CreateLinksOptions,
): Promise<PatchReferences> {
  const { organizationId } = actor;
  const patches = requests.map(({ patch }) => patch);
  const chosen = await readChosenTags(em, patches);
  const names = (patch: LinkPatch): string[] => {
    const { tags = [], addTags = [] } = withTagNames(patch, chosen, organizationId);
    return [...tags, ...addTags];
  };
  const referring = requests.flatMap(({ id, patch }) => {
    const view = views.get(id);
    // The present domain too: the link may show its QR template, which a move replaces.
    return view === undefined
      ? []
      : [
          { ...merge(patch, view), tags: names(patch) },
          { domainId: view.domain.id, destination: view.destination },
        ];
  });
  const rows = await readReferences(em, [organizationId], referring, site);
  rows.tags.push(...[...chosen.values()].filter((tag) => tag.organizationId === organizationId));
  const tags = new Map(rows.tags.map(({ nameKey, id, name }) => [nameKey, { id, name }]));
  // Lock order: the tags of an organization, then names of links, which other transactions may wait for.
  if (patches.flatMap(names).some((name) => !tags.has(foldCase(name)))) await lockPart(em, 'tags', organizationId);
  return { ...rows, chosen, tagsByKey: tags };
}

async function readAgain(em: EntityManager, id: string, { views }: UpdateRows): Promise<void> {
  await em.flush();
  for (const view of await readLinks(em, [id])) views.set(id, view);
}

/** Changes one link; most changes are written with those of the other links. @returns the error that refuses it. */
async function updateOne(
  em: EntityManager,
  actor: Actor,
  request: LinkChangeRequest,
  { links, views, references }: UpdateRows,
  options: CreateLinksOptions,
): Promise<Done | AppError> {
  const { id, patch, passwordHash = null, ifMatch } = request;
  if (patch.password && passwordHash === null) throw new Error('The password of a link was not hashed.');
  try {
    const view = requireLink(views.get(id), actor);
    requireVersion(ifMatch, view);
    const link = links.get(id)!;
    const toPatch: LinkToPatch = { actor, link, view, patch };
    const resolved = await resolvePatch(em, toPatch, references, options);
    if (resolved.fields !== null) {
      await writePatch(em, toPatch, resolved, { ...options, references, passwordHash });
      addToChains(merge(patch, view), resolved.domain.domain, resolved.slug, references);
    }
    return { request, link, view, resolved, updatedAt: link.updatedAt };
  } catch (error) {
    return toRefusal(error);
  }
}

/** Writes the events of changed links, and notifies the edges. */
async function report(
  em: EntityManager,
  changed: readonly Done[],
  { clicks }: UpdateRows,
  { site, now }: CreateLinksOptions,
): Promise<void> {
  await insertEvents(
    em,
    changed.flatMap((done) => [toUpdatedEvent(done, site, now), ...toCappedEvent(done, clicks, site, now)]),
  );
  await notifyLinks(
    em,
    changed.flatMap(({ view, resolved: { domain, slug, isElsewhere } }) => [
      { domainId: view.domain.id, slug: view.slug },
      ...(isElsewhere ? [{ domainId: domain.id, slug }] : []),
    ]),
  );
  const asked = changed.filter(({ link, request: { patch }, resolved }) => {
    const isAsked = [patch.cloaking, patch.destination, patch.rules].some((sent) => sent !== undefined);
    return link.cloaking && (isAsked || resolved.isElsewhere);
  });
  await enqueue(
    em,
    'frame-check',
    asked.map(({ link }) => link.id),
  );
}

function toUpdatedEvent({ view, request, resolved, updatedAt }: Done, site: Site, now: Date): EventDraft {
  const { id, organizationId } = view;
  const { type, value } = request.patch.destination ?? view.destination;
  const link = {
    id,
    slug: resolved.slug,
    shortUrl: site.originUrl(resolved.domain.domain, resolved.slug),
    destination: { type, value },
    updatedAt: updatedAt.toISOString(),
  };
  const data = { link, previous: previousOf(resolved.fields ?? {}) };
  return createEvent('link.updated', { organizationId, linkId: id, now, data });
}

/** The event of a cap at or below the clicks so far; later clicks are compared where they are counted (`writeCapEvents`). */
function toCappedEvent(
  { view, request, resolved }: Done,
  clicksByLink: UpdateRows['clicks'],
  site: Site,
  now: Date,
): EventDraft[] {
  const { id, organizationId } = view;
  const clicks = clicksByLink.get(id);
  const maxClicks = request.patch.maxClicks ?? null;
  if (clicks === undefined || maxClicks === null || clicks < maxClicks) return [];
  const wasCapped = view.maxClicks !== null && clicks >= view.maxClicks;
  const link = { id, organizationId, slug: resolved.slug, domain: resolved.domain.domain, maxClicks, clicks };
  return wasCapped ? [] : [createCappedEvent(link, site, now)];
}

/** Keeps the changes in the histories of the links, and one activity for all of them. */
async function keepHistory(
  em: EntityManager,
  actor: Actor,
  changed: readonly Done[],
  { now }: CreateLinksOptions,
): Promise<void> {
  const changes = changed.map(({ request: { id, undoes = null }, resolved, updatedAt }): NewLinkChange => {
    return { linkId: id, at: updatedAt, fields: resolved.fields ?? {}, undoes };
  });
  const [linkId, ...others] = new Set(changes.map((change) => change.linkId));
  if (linkId === undefined) return;
  const isOne = others.length === 0;
  const draft = {
    action: 'shortLink.updated' as const,
    subjectId: isOne ? linkId : null,
    name: isOne ? changed[0]!.view.slug : null,
    count: others.length + 1,
    details: detailsOfChange(
      changes.flatMap(({ fields }) => Object.entries(fields).map(([field, { after }]) => [field, after] as const)),
    ),
  };
  await keepChanges(em, changes, toActivityRow(actor, actor.organizationId, draft, now));
}

/** Requests scans of the web addresses in patches. @returns the verdicts of these addresses. */
function requestScans(
  em: EntityManager,
  done: readonly Done[],
  { isBulk = false, localAnswers }: UpdateLinksOptions,
): Promise<Verdicts> {
  const scans = done.flatMap(({ view: { organizationId }, resolved }) =>
    [resolved.scans, resolved.expiredScans].flatMap((part) =>
      withLanes(organizationId, part, { isBulk, localAnswers }),
    ),
  );
  return requestVerdicts(em, scans);
}
