import type { Actor } from '../core/actor.ts';
import { AppError, invalid } from '../core/errors.ts';
import type { LinkDraft } from '../core/link-draft.ts';
import { plans } from '../core/plans.ts';
import type { Site } from '../core/site.ts';
import type { Sql } from '../db/database.ts';
import { type DestinationInsert, insertLinks, type LinkInsert } from '../db/link-insert.ts';
import { checkLoops, readReferences, resolveReferences } from './link-references.ts';
import { type ReadyDraft, toLinkInsert } from './link-rows.ts';
import { hashPassword } from './passwords.ts';
import { createMissingTags } from './tags.ts';
import { requestVerdicts } from './verdicts.ts';

/** What a create needs besides the database. */
export interface CreateLinksOptions {
  site: Site;
  now: Date;
}

/** What became of one draft. `awaited`: hashes (hex) of its destinations whose scan is under way. */
export type CreateLinkResult = { ok: true; id: string; awaited: string[] } | { ok: false; error: AppError };

const generatedSlugAttempts = 8;

/**
 * Makes links, 1 to 500 at once, each by itself: one that cannot be made stops no other. Writes links, events and wishes
 * for threat scans; the caller commits, then wakes the relay.
 * @returns one result a draft, in the order of `drafts`.
 */
export async function createLinks(
  tx: Sql,
  actor: Actor,
  drafts: readonly LinkDraft[],
  { site, now }: CreateLinksOptions,
): Promise<CreateLinkResult[]> {
  // Before any lock is taken: hashing takes tens of milliseconds.
  const passwordHashes = await Promise.all(
    drafts.map(async ({ password }) => (password ? await hashPassword(password) : null)),
  );
  const rows = await readReferences(tx, actor, drafts, site);
  const results: (CreateLinkResult | undefined)[] = drafts.map(() => undefined);
  const fail = (index: number, error: unknown): void => {
    if (!(error instanceof AppError)) throw error;
    results[index] = { ok: false, error };
  };

  await refuseBeyondQuota(tx, actor, drafts, fail);
  const tagIds = new Map(rows.tags.map(({ nameKey, id }) => [nameKey, id]));
  const pending: Pending[] = [];
  for (const [index, draft] of drafts.entries()) {
    if (results[index] !== undefined) continue;
    try {
      if (draft.expiresAt && draft.expiresAt <= now) throw invalid('expiresAt', 'must be in the future');
      const references = resolveReferences(draft, rows, actor, site);
      checkLoops(draft, references.domain.domain, draft.slug ?? '', rows, site);
      if (draft.tags !== undefined) await createMissingTags(tx, actor, draft.tags, tagIds);
      const passwordHash = passwordHashes[index] ?? null;
      pending.push({ index, draft, references, passwordHash });
    } catch (error) {
      fail(index, error);
    }
  }

  const made = await insertAll(
    tx,
    pending,
    (item, attempt) => toLinkInsert(item, attempt, { actor, tagIds, site, now }),
    fail,
  );
  const requested = await requestVerdicts(
    tx,
    made.flatMap(({ insert }) => scannable(insert.destinations)),
  );
  const scanning = new Set(requested.awaited);
  for (const { index, insert } of made) {
    const hashes = insert.destinations.flatMap(({ url_hash: hash }) => hash ?? []);
    results[index] = { ok: true, id: insert.link.id, awaited: hashes.filter((hash) => scanning.has(hash)) };
  }
  return results.map((result) => result!);
}

interface Pending extends ReadyDraft {
  index: number;
}

interface Made {
  index: number;
  insert: LinkInsert;
}

/** The organization's row is locked only where its plan counts links: a hot row otherwise. */
async function refuseBeyondQuota(
  tx: Sql,
  actor: Actor,
  drafts: readonly LinkDraft[],
  fail: (index: number, error: AppError) => void,
): Promise<void> {
  const limit = plans[actor.plan].shortLinks;
  if (limit === null) return;
  await tx.query('select 1 from organizations where id = $1 for update', [actor.organizationId]);
  const { rows } = await tx.query<{ count: number }>(
    'select count(*) as count from short_links where organization_id = $1 and deleted_at is null',
    [actor.organizationId],
  );
  const free = Math.max(0, limit - rows[0]!.count);
  for (let index = free; index < drafts.length; index += 1) {
    fail(index, new AppError('PLAN_LIMIT_REACHED', `Your plan allows ${limit} short links.`));
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
  let rest = items;
  for (let attempt = 0; rest.length > 0 && attempt < generatedSlugAttempts; attempt += 1) {
    const inserts = rest.map((item) => ({ item, insert: build(item, attempt) }));
    const ids = await insertLinks(
      tx,
      inserts.map(({ insert }) => insert),
    );
    const refused = inserts.filter(({ insert }) => !ids.has(insert.link.id));
    made.push(
      ...inserts
        .filter(({ insert }) => ids.has(insert.link.id))
        .map(({ item, insert }) => ({ index: item.index, insert })),
    );
    const taken =
      refused.length === 0
        ? new Set<string>()
        : await readTakenExternalIds(
            tx,
            refused.map(({ insert }) => insert),
          );
    rest = [];
    const again: Pending[] = [];
    for (const { item, insert } of refused) {
      if (taken.has(insert.link.id)) fail(item.index, new AppError('ALREADY_EXIST', 'This externalId is in use.'));
      else if (item.draft.slug !== undefined) fail(item.index, new AppError('ALREADY_EXIST', 'This slug is in use.'));
      else again.push(item);
    }
    rest = again;
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

function scannable(destinations: readonly DestinationInsert[]): { id: string; url: string }[] {
  return destinations.filter(({ type }) => type === 'link').map(({ id, value }) => ({ id, url: value }));
}
