import type { Actor } from '../core/actor.ts';
import { AppError, invalid } from '../core/errors.ts';
import type { LinkDraft } from '../core/link-draft.ts';
import { plans } from '../core/plans.ts';
import type { Site } from '../core/site.ts';
import type { Sql } from '../db/database.ts';
import type { LinkContextRows } from '../db/link-context.ts';
import { insertLinks, type LinkInsert } from '../db/link-insert.ts';
import { checkLoops, readReferences, resolveReferences } from './link-references.ts';
import { type ReadyDraft, toLinkInsert } from './link-rows.ts';
import { type MadeLink, toMadeLink } from './link-made.ts';
import { hashPassword } from './passwords.ts';
import { createMissingTags } from './tags.ts';
import { requestVerdicts } from './verdicts.ts';

/** What a create needs besides the database. */
export interface CreateLinksOptions {
  site: Site;
  now: Date;
}

/** A link that somebody wants. */
export interface LinkRequest {
  actor: Actor;
  draft: LinkDraft;
}

/** What became of one draft. `awaited`: hashes (hex) of its destinations whose scan is under way. */
export type CreateLinkResult = { ok: true; id: string; awaited: string[] } | { ok: false; error: AppError };

/** The same, with the new link as it is shown; null where it has tags or an image and must be read. */
export type MadeLinkResult =
  | { ok: true; id: string; awaited: string[]; link: MadeLink | null }
  | { ok: false; error: AppError };

const generatedSlugAttempts = 8;

/**
 * Makes links, 1 to 500 at once, each by itself: one that cannot be made stops no other. Writes links, events and wishes
 * for threat scans; the caller commits, then wakes the relay.
 * @returns one result a draft, in the order of `drafts`.
 */
export function createLinks(
  tx: Sql,
  actor: Actor,
  drafts: readonly LinkDraft[],
  options: CreateLinksOptions,
): Promise<MadeLinkResult[]> {
  return createLinksOf(
    tx,
    drafts.map((draft) => ({ actor, draft })),
    options,
  );
}

/** As `createLinks`, for links that different people, of different organizations too, want at the same time. */
export async function createLinksOf(
  tx: Sql,
  requests: readonly LinkRequest[],
  { site, now }: CreateLinksOptions,
): Promise<MadeLinkResult[]> {
  // Before any lock is taken: hashing takes tens of milliseconds.
  const passwordHashes = await Promise.all(
    requests.map(async ({ draft: { password } }) => (password ? await hashPassword(password) : null)),
  );
  const rows = await readReferences(
    tx,
    requests.map(({ actor }) => actor.organizationId),
    requests.map(({ draft }) => draft),
    site,
  );
  const results: (MadeLinkResult | undefined)[] = requests.map(() => undefined);
  const fail = (index: number, error: unknown): void => {
    if (!(error instanceof AppError)) throw error;
    results[index] = { ok: false, error };
  };

  await refuseBeyondQuota(tx, requests, fail);
  const tagsOf = groupTags(rows.tags);
  const pending: Pending[] = [];
  for (const [index, { actor, draft }] of requests.entries()) {
    if (results[index] !== undefined) continue;
    try {
      if (draft.expiresAt && draft.expiresAt <= now) throw invalid('expiresAt', 'must be in the future');
      const references = resolveReferences(draft, rows, actor, site);
      checkLoops(draft, references.domain.domain, draft.slug ?? '', rows, site);
      const tagIds = tagsOf(actor.organizationId);
      if (draft.tags !== undefined) await createMissingTags(tx, actor, draft.tags, tagIds);
      pending.push({ index, actor, draft, references, tagIds, passwordHash: passwordHashes[index] ?? null });
    } catch (error) {
      fail(index, error);
    }
  }

  const made = await insertAll(tx, pending, (item, attempt) => toLinkInsert(item, attempt, { site, now }), fail);
  const requested = await requestVerdicts(
    tx,
    made.flatMap(({ insert }) => scannable(insert)),
  );
  const scanning = new Set(requested.awaited);
  for (const { item, insert } of made) {
    const hashes = insert.destinations.flatMap(({ url_hash: hash }) => hash ?? []);
    results[item.index] = {
      ok: true,
      id: insert.link.id,
      awaited: hashes.filter((hash) => scanning.has(hash)),
      link: toMadeLink(insert, item.references.domain, requested.verdicts),
    };
  }
  return results.map((result) => result!);
}

interface Pending extends ReadyDraft {
  index: number;
}

interface Made {
  item: Pending;
  insert: LinkInsert;
}

/** Ids of tags by folded name, for each organization; new ones are added as they are made. */
function groupTags(tags: LinkContextRows['tags']): (organizationId: string) => Map<string, string> {
  const groups = new Map<string, Map<string, string>>();
  const of = (organizationId: string): Map<string, string> => {
    let ids = groups.get(organizationId);
    if (ids === undefined) groups.set(organizationId, (ids = new Map<string, string>()));
    return ids;
  };
  for (const { organizationId, nameKey, id } of tags) of(organizationId).set(nameKey, id);
  return of;
}

/** An organization's row is locked only where its plan counts links: a hot row otherwise. */
async function refuseBeyondQuota(
  tx: Sql,
  requests: readonly LinkRequest[],
  fail: (index: number, error: AppError) => void,
): Promise<void> {
  const counted = [...requests.entries()].filter(([, { actor }]) => plans[actor.plan].shortLinks !== null);
  const groups = [...Map.groupBy(counted, ([, { actor }]) => actor.organizationId)];
  // Sorted, so that two such transactions cannot wait for each other in a circle.
  for (const [organizationId, group] of groups.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    const limit = plans[group[0]![1].actor.plan].shortLinks ?? 0;
    await tx.query('select 1 from organizations where id = $1 for update', [organizationId]);
    const { rows } = await tx.query<{ count: number }>(
      'select count(*) as count from short_links where organization_id = $1 and deleted_at is null',
      [organizationId],
    );
    const free = Math.max(0, limit - rows[0]!.count);
    for (const [index] of group.slice(free)) {
      fail(index, new AppError('PLAN_LIMIT_REACHED', `Your plan allows ${limit} short links.`));
    }
  }
}

/** Inserts, and inserts again with longer slugs what had a generated slug that was taken. */
async function insertAll(
  tx: Sql,
  items: readonly Pending[],
  build: (item: Pending, attempt: number) => LinkInsert,
  fail: (index: number, error: AppError) => void,
): Promise<Made[]> {
  const made: Made[] = [];
  let rest = [...items];
  for (let attempt = 0; rest.length > 0 && attempt < generatedSlugAttempts; attempt += 1) {
    const inserts = rest.map((item) => ({ item, insert: build(item, attempt) }));
    const ids = await insertLinks(
      tx,
      inserts.map(({ insert }) => insert),
    );
    const refused = inserts.filter(({ insert }) => !ids.has(insert.link.id));
    made.push(...inserts.filter(({ insert }) => ids.has(insert.link.id)));
    const taken = await readTakenExternalIds(
      tx,
      refused.map(({ insert }) => insert),
    );
    rest = [];
    for (const { item, insert } of refused) {
      if (taken.has(insert.link.id)) fail(item.index, new AppError('ALREADY_EXIST', 'This externalId is in use.'));
      else if (item.draft.slug !== undefined) fail(item.index, new AppError('ALREADY_EXIST', 'This slug is in use.'));
      else rest.push(item);
    }
  }
  for (const { index } of rest) fail(index, new AppError('INTERNAL_SERVER_ERROR'));
  return made;
}

/** Which refused links have an external id that another live link of the organization bears. */
async function readTakenExternalIds(tx: Sql, inserts: readonly LinkInsert[]): Promise<Set<string>> {
  const named = inserts.filter(({ link }) => link.external_id !== null);
  if (named.length === 0) return new Set();
  const { rows } = await tx.query<{ id: string }>(
    `select x.id from unnest($1::uuid[], $2::uuid[], $3::text[]) as x(id, organization_id, external_id)
     where exists (select 1 from short_links l where l.organization_id = x.organization_id
       and l.external_id = x.external_id and l.deleted_at is null)`,
    [
      named.map(({ link }) => link.id),
      named.map(({ link }) => link.organization_id),
      named.map(({ link }) => link.external_id),
    ],
  );
  return new Set(rows.map(({ id }) => id));
}

/** All web addresses that a link may lead to. Nobody waits for the one that it leads to once it has expired. */
function scannable({ link, destinations }: LinkInsert): { id: string; url: string }[] {
  const urls = destinations.filter(({ type }) => type === 'link').map(({ id, value }) => ({ id, url: value }));
  if (link.expired_url !== null) urls.push({ id: link.id, url: link.expired_url });
  return urls;
}
