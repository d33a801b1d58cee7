import type { Actor } from '#core/audit/actor.ts';
import { requirePlace } from '#core/organizations/reach.ts';
import { AppError, asRefusal, invalidFields, orThrow } from '#core/errors/errors.ts';
import { plans } from '#core/organizations/plans.ts';
import { linkSizeProblem } from '#core/links/size.ts';
import type { LinkDraft } from '#core/links/draft.ts';
import type { Site } from '#core/links/site.ts';
import type { TransactionOptions } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ShortLink } from '#db/entities/links/links.ts';
import { enqueue } from '#db/outbox.ts';
import type { LinkInsert } from '#db/links/insert.ts';
import type { ReferencedRows } from '#db/links/references.ts';
import { lockOrganization } from '#db/connection/locks.ts';
import { domainIssues } from '#commands/links/domain-choice.ts';
import {
  addToChains,
  findIssues,
  readReferences,
  type ReferenceRows,
  resolveReferences,
} from '#commands/links/references.ts';
import { hashesOf, type LinkRequest, type ReadyLink, scansOf } from '#commands/links/rows.ts';
import { canPresentWithoutRead, type CreatedLink } from './created-view.ts';
import { insertInRounds, quotaReached, type Quotas } from './insert-rounds.ts';
import {
  type ChosenTags,
  readChosenTags,
  tagIssues,
  tagNamesOf,
  withTagNames,
  type WithTagNames,
} from '#commands/labels/tag-choice.ts';
import { recordOfLinks } from '#commands/activity.ts';
import { withLanes, pickVerdicts, requestVerdicts, type Verdicts } from '#commands/threats/verdicts.ts';

/** Options of every transaction that creates or changes links: it finds all its rows by keys. */
export const linkTransaction = { plans: 'indexes-only' } as const satisfies TransactionOptions;

export interface CreateLinksOptions {
  site: Site;
  now: Date;
  /** Whether links may have expired already: true for imported links. */
  mayBeExpired?: boolean;
  /** Whether the links are part of a bulk call or an import: their scans wait behind scans that a caller waits for. */
  isBulk?: boolean;
}

/** A new link. `created` is null where the link must be read to be shown. */
export interface MadeLink {
  id: string;
  slug: string;
  verdicts: Verdicts;
  created: CreatedLink | null;
}

/**
 * Creates links, 1 to 500 at once, of one or several organizations, each by itself: one that fails stops no other. Writes links,
 * events and requests for threat scans.
 * @returns for each request, in their order, its link or the error that refuses it.
 */
export async function createLinks(
  em: EntityManager,
  requests: readonly LinkRequest[],
  options: CreateLinksOptions,
): Promise<(MadeLink | AppError)[]> {
  const known = await readCreateRows(em, requests, options);
  const links = requests.map((request, index) => {
    try {
      return resolveRequest(request, known.drafts[index]!, known, options);
    } catch (error) {
      return asRefusal(error);
    }
  });
  const ready = links.filter((link): link is ReadyLink => !(link instanceof AppError));
  const inserted = await insertInRounds(em, ready, known.quotas, options);
  const verdicts = await enqueueChecks(em, inserted, options);
  return links.map((link) => {
    if (link instanceof AppError) return link;
    const insert = inserted.get(link)!;
    if (insert instanceof AppError) return insert;
    return {
      id: insert.id,
      slug: insert.slug,
      verdicts: pickVerdicts(verdicts, insert.destinations.flatMap(hashesOf)),
      created: canPresentWithoutRead(insert) ? { insert, ...link.references } : null,
    };
  });
}

/** Creates one link. @throws AppError that refuses it. */
export async function createLink(
  em: EntityManager,
  request: LinkRequest,
  options: CreateLinksOptions,
): Promise<MadeLink> {
  const [made] = await createLinks(em, [request], options);
  return orThrow(made!);
}

/** The rows that decide about new links, locked against deletion. */
interface CreateRows extends ReferenceRows {
  /** The drafts of the requests, in their order, their tags by name. */
  drafts: readonly WithTagNames<LinkDraft>[];
  quotas: Quotas;
  chosen: ChosenTags;
  /** Ids of tags by organization and folded name; tags that are created later are added. */
  tagIdsByKey: Map<string, Map<string, string>>;
}

async function readCreateRows(
  em: EntityManager,
  requests: readonly LinkRequest[],
  { site }: CreateLinksOptions,
): Promise<CreateRows> {
  const organizationIds = requests.map(({ actor }) => actor.organizationId);
  // Lock order: organization, then domain (docs/locks.md).
  const quotas = await readQuotas(em, requests);
  const chosen = await readChosenTags(
    em,
    requests.map(({ draft }) => draft),
  );
  const drafts = requests.map(({ actor, draft }) => withTagNames(draft, chosen, actor.organizationId));
  const rows = await readReferences(em, organizationIds, drafts, site);
  return {
    ...rows,
    drafts,
    quotas,
    chosen,
    tagIdsByKey: groupTags(organizationIds, [...rows.tags, ...chosen.values()]),
  };
}

/**
 * Counts how many more links each organization may have, where its plan limits them. Only those organizations are locked: their
 * rows are hot.
 */
async function readQuotas(em: EntityManager, requests: readonly LinkRequest[]): Promise<Quotas> {
  const quotas: Quotas = new Map();
  const limits = new Map(requests.map(({ actor }) => [actor.organizationId, plans[actor.plan].shortLinks]));
  // Sorted: two such transactions cannot deadlock.
  for (const [organizationId, limit] of [...limits].toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    if (limit === null) continue;
    await lockOrganization(em, organizationId);
    const count = await em.count(ShortLink, { organization: organizationId });
    quotas.set(organizationId, Math.max(0, limit - count));
  }
  return quotas;
}

function groupTags(organizationIds: readonly string[], tags: ReferencedRows['tags']): CreateRows['tagIdsByKey'] {
  const groups = new Map(organizationIds.map((id) => [id, new Map<string, string>()]));
  for (const { organizationId, nameKey, id } of tags) groups.get(organizationId)?.set(nameKey, id);
  return groups;
}

/** Decides whether a link may be made, and finds its domain, folder and tags. @throws AppError that refuses it. */
function resolveRequest(
  request: LinkRequest,
  named: WithTagNames<LinkDraft>,
  known: CreateRows,
  { site, now, mayBeExpired = false }: CreateLinksOptions,
): ReadyLink {
  const { actor, passwordHash = null } = request;
  const draft = { ...named, tags: tagNamesOf(named, { present: [], chosen: known.chosen, actor }) };
  if (draft.password && passwordHash === null) throw new Error('The password of a link was not hashed.');
  if (known.quotas.get(actor.organizationId) === 0) throw quotaReached(actor);
  const references = resolveReferences(draft, known, actor, site);
  requirePlace(actor, { folderId: references.folder.id, domainId: references.domain.id }, 'create');
  const { domain } = references.domain;
  const issues = [...domainIssues(draft, references.domain, site), ...tagIssues(named, draft.tags)];
  issues.push(...findIssues(draft, { actor, site, domain, slug: draft.slug ?? '' }, known));
  if (!mayBeExpired && draft.expiresAt && draft.expiresAt <= now)
    issues.push({ path: 'expiresAt', message: 'must be in the future' });
  const tooLarge = linkSizeProblem(draft);
  if (tooLarge !== undefined) issues.push(tooLarge);
  if (issues.length > 0) throw invalidFields(issues);
  if (draft.slug !== undefined) addToChains(draft, domain, draft.slug, known);
  return { ...request, draft, references, tagIdsByKey: known.tagIdsByKey.get(actor.organizationId)! };
}

/** Enqueues what follows a create: scans of all destinations, and the question whether cloaked ones may be framed. */
async function enqueueChecks(
  em: EntityManager,
  inserted: ReadonlyMap<ReadyLink, LinkInsert | AppError>,
  { isBulk = false }: CreateLinksOptions,
): Promise<Verdicts> {
  const made = [...inserted].flatMap(([{ localAnswers }, insert]) =>
    insert instanceof AppError ? [] : { insert, localAnswers },
  );
  const cloaked = made.filter(({ insert }) => insert.cloaking);
  await enqueue(
    em,
    'frame-check',
    cloaked.map(({ insert }) => insert.id),
  );
  return requestVerdicts(
    em,
    made.flatMap(({ insert, localAnswers }) =>
      withLanes(insert.organizationId, scannable(insert), { isBulk, localAnswers }),
    ),
  );
}

/** All web addresses that a link may lead to. No caller waits for the expired URL: answers do not show its verdict. */
function scannable({ id, expiredUrl, destinations }: LinkInsert): ReturnType<typeof scansOf> {
  const urls = destinations.flatMap(scansOf);
  if (expiredUrl !== null) urls.push({ id, url: expiredUrl, urlHash: null });
  return urls;
}

/** Keeps one activity for all links that a bulk call has created, in the transaction of `createLinks`. */
export async function recordCreatedLinks(
  em: EntityManager,
  actor: Actor,
  results: readonly (MadeLink | AppError)[],
  now: Date,
): Promise<void> {
  const made = results.flatMap((result) => (result instanceof AppError ? [] : result));
  await recordOfLinks(em, actor, 'shortLink.created', made, now);
}
