import { setImmediate as nextTurn } from 'node:timers/promises';
import type { QueryConfig } from 'pg';
import type { Actor } from '#core/organizations/actor.ts';
import { requirePlace } from '#core/organizations/reach.ts';
import type { LocalAnswers } from '#core/threats/answer.ts';
import { AppError, invalidFields } from '#core/errors/errors.ts';
import type { LinkDraft } from '#core/links/draft.ts';
import { plans } from '#core/organizations/plans.ts';
import { linkSizeProblem } from '#core/links/size.ts';
import type { Site } from '#core/links/site.ts';
import { slugKey } from '#core/links/slug.ts';
import type { TransactionOptions } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ShortLink } from '#db/entities/links.ts';
import { enqueue } from '#db/outbox.ts';
import type { ReferencedRows } from '#db/links/references.ts';
import { insertLinks, type LinkInsert, writeLinkStatement } from '#db/links/insert.ts';
import { withSavepoint } from '#db/connection/savepoint.ts';
import { lockOrganization, lockTags } from '#db/connection/locks.ts';
import { addToChains, domainIssues, findIssues, readReferences, resolveReferences } from './references.ts';
import { hashesOf, type ReadyDraft, scansOf, toLinkInsert } from './rows.ts';
import { canPresentWithoutRead, type CreatedLink } from './created-view.ts';
import { readChosenTags, tagIssues, tagNamesOf } from './tag-choice.ts';
import { createMissingTags } from './tags.ts';
import { recordActivity } from '#commands/activity.ts';
import { laneOf, pickVerdicts, requestVerdicts, type Verdicts } from '#commands/threats/verdicts.ts';

/** Options of every transaction that creates or changes links: it finds all its rows by keys. */
export const linkTransaction = { plans: 'indexes-only' } as const satisfies TransactionOptions;

export interface CreateLinksOptions {
  site: Site;
  now: Date;
  /** Whether links may have expired already: true for imported links (3.1). */
  mayBeExpired?: boolean;
  /** Whether the links are part of a bulk call or an import: their scans wait behind scans that a caller waits for. */
  isBulk?: boolean;
  /** What the installation knows about the links' web addresses by itself. */
  localAnswers?: LocalAnswers;
}

/** Hashes of the passwords of links, in their order; null where a link sets none. */
interface PasswordHashes {
  passwordHashes?: readonly (string | null)[];
}

/** A link to create, and the actor that creates it. */
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

/** A changed link. `verdicts` are those of the web addresses that it leads to before it expires. */
export type LinkResult = { ok: true; id: string; verdicts: Verdicts } | { ok: false; error: AppError };

/** A new link. `created` is null where the link must be read to be shown. */
export type CreateLinkResult =
  | { ok: true; id: string; verdicts: Verdicts; created: CreatedLink | null }
  | { ok: false; error: AppError };

const generatedSlugAttempts = 8;
// A choice: a bulk call has at most 100 links, a batch of an import 500.
const linksPerStatement = 125;

/**
 * Creates links, 1 to 500 at once, each by itself: one that fails stops no other. Writes links, events and requests for
 * threat scans.
 * @returns one result a draft, in the order of `drafts`.
 */
export function createLinks(
  em: EntityManager,
  actor: Actor,
  drafts: readonly LinkDraft[],
  { passwordHashes, localAnswers, ...options }: CreateLinksOptions & PasswordHashes,
): Promise<CreateLinkResult[]> {
  return createLinksOf(
    em,
    drafts.map((draft, index) => ({ actor, draft, passwordHash: passwordHashes?.[index] ?? null, localAnswers })),
    options,
  );
}

/** Keeps one activity for all links that a bulk call has created, in the transaction of `createLinks`. */
export async function recordCreatedLinks(
  em: EntityManager,
  actor: Actor,
  results: readonly CreateLinkResult[],
  { now }: { now: Date },
): Promise<void> {
  const [first, ...others] = results.filter((result) => result.ok);
  if (first === undefined) return;
  const only = others.length === 0 ? first : undefined;
  const subject = { subjectId: only?.id ?? null, name: only?.created?.insert.link.slug ?? null };
  await recordActivity(em, actor, { action: 'shortLink.created', ...subject, count: others.length + 1 }, now);
}

/** As `createLinks`, for links of several actors and organizations in one transaction. */
export async function createLinksOf(
  em: EntityManager,
  requests: readonly LinkRequest[],
  { site, now, mayBeExpired = false, isBulk = false }: Omit<CreateLinksOptions, 'localAnswers'>,
): Promise<CreateLinkResult[]> {
  // Lock order: organization, then domain (docs/locks.md).
  const quotas = await remainingLinkQuota(em, requests);
  const rows = await readReferences(
    em,
    requests.map(({ actor }) => actor.organizationId),
    requests.map(({ draft }) => draft),
    site,
  );
  const chosen = await readChosenTags(
    em,
    requests.map(({ draft }) => draft),
  );
  rows.tags.push(...chosen.values());
  const results: (CreateLinkResult | undefined)[] = requests.map(() => undefined);
  const fail = (index: number, error: unknown): void => {
    if (!(error instanceof AppError)) throw error;
    results[index] = { ok: false, error };
  };

  const tagsOf = groupTags(rows.tags);
  const pending: Pending[] = [];
  for (const [
    index,
    { actor, draft: sent, passwordHash = null, createdAt = now, localAnswers },
  ] of requests.entries()) {
    try {
      const draft =
        sent.tagIds === undefined ? sent : { ...sent, tags: tagNamesOf(sent, { present: [], chosen, actor }) };
      if (draft.password && passwordHash === null) throw new Error('The password of a link was not hashed.');
      if (quotas.get(actor.organizationId) === 0) throw quotaReached(actor);
      const references = resolveReferences(draft, rows, actor, site);
      requirePlace(actor, { folderId: references.folder.id, domainId: references.domain.id }, 'create');
      const { domain } = references.domain;
      const issues = domainIssues(draft, references.domain, site);
      issues.push(...tagIssues(sent, draft.tags));
      issues.push(...findIssues(draft, { actor, site, domain, slug: draft.slug ?? '' }, rows));
      if (!mayBeExpired && draft.expiresAt && draft.expiresAt <= now)
        issues.push({ path: 'expiresAt', message: 'must be in the future' });
      const tooLarge = linkSizeProblem(draft);
      if (tooLarge !== undefined) issues.push(tooLarge);
      if (issues.length > 0) throw invalidFields(issues);
      if (draft.slug !== undefined) addToChains(draft, domain, draft.slug, rows);
      const tagIds = tagsOf(actor.organizationId);
      pending.push({ index, actor, draft, createdAt, references, tagIds, passwordHash, localAnswers });
    } catch (error) {
      fail(index, error);
    }
  }

  const build = (item: Pending, attempt: number): LinkInsert => toLinkInsert(item, attempt, { site, now, isBulk });
  await lockNewTags(em, pending);
  const made: Made[] = [];
  for (let waiting = pending; waiting.length > 0;) {
    const { together, inTurn } = takeTurns(waiting, quotas);
    made.push(...(await insertAll(em, together, build, fail)));
    const [next, ...later] = inTurn;
    if (next !== undefined) made.push(...(await insertOne(em, next, quotas, build, fail)));
    waiting = later;
  }
  const cloaked = made.filter(({ insert }) => insert.link.cloaking);
  await enqueue(
    em,
    'frame-check',
    cloaked.map(({ insert }) => insert.link.id),
  );
  const verdicts = await requestVerdicts(
    em,
    made.flatMap(({ item: { localAnswers }, insert }) =>
      laneOf(insert.link.organizationId, scannable(insert), { isBulk, localAnswers }),
    ),
  );
  for (const { item, insert } of made) {
    results[item.index] = {
      ok: true,
      id: insert.link.id,
      verdicts: pickVerdicts(verdicts, insert.destinations.flatMap(hashesOf)),
      created: canPresentWithoutRead(insert) ? { insert, ...pickShown(item.references) } : null,
    };
  }
  return results.map((result) => result!);
}

const pickShown = ({ domain, folder }: Pending['references']) => ({ domain, folder });

interface Pending extends ReadyDraft {
  index: number;
  localAnswers: LocalAnswers | undefined;
  /** Shared by all pending links of the organization. */
  tagIds: Map<string, string>;
}

interface Made {
  item: Pending;
  insert: LinkInsert;
}

/** Groups tag ids by organization and folded name; tags that are created later are added to the groups. */
function groupTags(tags: ReferencedRows['tags']): (organizationId: string) => Map<string, string> {
  const groups = new Map<string, Map<string, string>>();
  const of = (organizationId: string): Map<string, string> => {
    let ids = groups.get(organizationId);
    if (ids === undefined) groups.set(organizationId, (ids = new Map<string, string>()));
    return ids;
  };
  for (const { organizationId, nameKey, id } of tags) of(organizationId).set(nameKey, id);
  return of;
}

/**
 * Counts how many more links each organization may have, where its plan limits them. Only those organizations are locked: their
 * rows are hot.
 */
async function remainingLinkQuota(em: EntityManager, requests: readonly LinkRequest[]): Promise<Map<string, number>> {
  const quotas = new Map<string, number>();
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

/** The error of a slug that another link of the domain has. */
export const slugInUse = (): AppError => new AppError('ALREADY_EXIST', 'This slug is in use.', { reason: 'slug' });

/** The error of an `externalId` that another link of the organization has. */
export const externalIdInUse = (): AppError =>
  new AppError('ALREADY_EXIST', 'This externalId is in use.', { reason: 'externalId' });

function quotaReached({ plan }: Actor): AppError {
  return new AppError('PLAN_LIMIT_REACHED', `Your plan allows ${plans[plan].shortLinks} short links.`);
}

/** Whether tags of the link are still to be created. */
function lacksTags({ references, tagIds }: Pending): boolean {
  return references.tagKeys.some((key) => !tagIds.has(key));
}

/** Lock order: the tags of an organization, then names of links, which other transactions may wait for. */
async function lockNewTags(em: EntityManager, items: readonly Pending[]): Promise<void> {
  const organizationIds = new Set(items.filter(lacksTags).map(({ actor }) => actor.organizationId));
  for (const organizationId of [...organizationIds].toSorted()) await lockTags(em, organizationId);
}

/**
 * Divides links into a first part that one statement inserts, and a rest that follows one by one: links whose slug or external id an
 * earlier link claims, and links that a quota counts or that need new tags, since a link that fails must use neither.
 */
function takeTurns(
  items: readonly Pending[],
  quotas: ReadonlyMap<string, number>,
): { together: Pending[]; inTurn: Pending[] } {
  const wanted = new Set<string>();
  const together: Pending[] = [];
  const inTurn: Pending[] = [];
  for (const item of items) {
    const { actor, draft, references } = item;
    const names: string[] = [];
    if (draft.slug !== undefined) names.push(`${references.domain.id}/${slugKey(draft.slug)}`);
    if (draft.externalId) names.push(`${actor.organizationId} ${draft.externalId}`);
    const waits = quotas.has(actor.organizationId) || lacksTags(item) || names.some((name) => wanted.has(name));
    (waits ? inTurn : together).push(item);
    for (const name of names) wanted.add(name);
  }
  return { together, inTurn };
}

/** Inserts one link, if the quota allows it, and its missing tags; where the link fails, the tags are rolled back with it. */
async function insertOne(
  em: EntityManager,
  item: Pending,
  quotas: Map<string, number>,
  build: (item: Pending, attempt: number) => LinkInsert,
  fail: (index: number, error: unknown) => void,
): Promise<Made[]> {
  const { actor, draft, index, tagIds } = item;
  const free = quotas.get(actor.organizationId);
  if (free === 0) {
    fail(index, quotaReached(actor));
    return [];
  }
  const insert = async (): Promise<Made[]> => {
    const added = await createMissingTags(em, actor, draft.tags ?? [], tagIds);
    const made = await insertAll(em, [{ ...item, tagIds: new Map([...tagIds, ...added]) }], build, fail);
    if (made.length > 0) for (const [key, id] of added) tagIds.set(key, id);
    return made;
  };
  let made: Made[] = [];
  try {
    made = await (lacksTags(item) ? withSavepoint(em, insert, ({ length }) => length > 0) : insert());
  } catch (error) {
    fail(index, error);
  }
  if (free !== undefined) quotas.set(actor.organizationId, free - made.length);
  return made;
}

/** Inserts links; a generated slug that is taken is replaced by a longer one, up to eight times. */
async function insertAll(
  em: EntityManager,
  items: readonly Pending[],
  build: (item: Pending, attempt: number) => LinkInsert,
  fail: (index: number, error: AppError) => void,
): Promise<Made[]> {
  const made: Made[] = [];
  let rest = [...items];
  for (let attempt = 0; rest.length > 0 && attempt < generatedSlugAttempts; attempt += 1) {
    const { inserts, ids } = await insertInParts(em, rest, (item) => build(item, attempt));
    const refused = inserts.filter(({ insert }) => !ids.has(insert.link.id));
    made.push(...inserts.filter(({ insert }) => ids.has(insert.link.id)));
    const taken = await readTakenExternalIds(
      em,
      refused.map(({ insert }) => insert),
    );
    rest = [];
    for (const { item, insert } of refused) {
      if (taken.has(insert.link.id)) fail(item.index, externalIdInUse());
      else if (item.draft.slug !== undefined) fail(item.index, slugInUse());
      else rest.push(item);
    }
  }
  for (const { index } of rest) fail(index, new AppError('INTERNAL_SERVER_ERROR'));
  return made;
}

interface WrittenPart {
  part: Made[];
  statement: QueryConfig;
}

/**
 * Inserts links by statements of some hundred. While PostgreSQL carries one out, this process writes the next (bench row M1).
 * @returns all links, in their order, and the ids of those that were inserted.
 */
async function insertInParts(
  em: EntityManager,
  items: readonly Pending[],
  build: (item: Pending) => LinkInsert,
): Promise<{ inserts: Made[]; ids: Set<string> }> {
  const write = (from: number): WrittenPart => {
    const part = items.slice(from, from + linksPerStatement).map((item) => ({ item, insert: build(item) }));
    return { part, statement: writeLinkStatement(part.map(({ insert }) => insert)) };
  };
  const inserts: Made[] = [];
  const ids = new Set<string>();
  let next: WrittenPart | undefined = write(0);
  for (let from = linksPerStatement; next !== undefined; from += linksPerStatement) {
    const current: WrittenPart = next;
    const writing = async (): Promise<WrittenPart | undefined> => {
      if (from >= items.length) return undefined;
      // The statement goes to the socket before this process is busy again.
      await nextTurn();
      return write(from);
    };
    const both: [Set<string>, WrittenPart | undefined] = await Promise.all([
      insertLinks(em, current.statement),
      writing(),
    ]);
    inserts.push(...current.part);
    for (const id of both[0]) ids.add(id);
    next = both[1];
  }
  return { inserts, ids };
}

/** Finds which refused links have an external id that another live link of the organization has. */
async function readTakenExternalIds(em: EntityManager, inserts: readonly LinkInsert[]): Promise<Set<string>> {
  const named = inserts.filter(({ link }) => link.externalId !== null);
  if (named.length === 0) return new Set();
  const taken = await em.kysely
    .selectFrom('ShortLink as l')
    .select(['l.organization', 'l.externalId'])
    .where(({ eb, or }) =>
      or(named.map(({ link }) => eb.and({ 'l.organization': link.organizationId, 'l.externalId': link.externalId }))),
    )
    .where('l.deletedAt', 'is', null)
    .execute();
  const isTaken = ({ organizationId, externalId }: LinkInsert['link']): boolean =>
    taken.some((row) => row.organization === organizationId && row.externalId === externalId);
  return new Set(named.filter(({ link }) => isTaken(link)).map(({ link }) => link.id));
}

/** All web addresses that a link may lead to. No caller waits for the expired URL: answers do not show its verdict. */
function scannable({ link, destinations }: LinkInsert): ReturnType<typeof scansOf> {
  const urls = destinations.flatMap(scansOf);
  if (link.expiredUrl !== null) urls.push({ id: link.id, url: link.expiredUrl, urlHash: null });
  return urls;
}
