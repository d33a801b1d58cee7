import type { Actor } from '#core/organizations/actor.ts';
import { AppError } from '#core/errors/errors.ts';
import type { LinkDraft } from '#core/links/draft.ts';
import { slugKey } from '#core/links/slug.ts';
import type { Precondition } from '#core/http/version.ts';
import type { Transaction } from '#db/connection/database.ts';
import { slugKeyOf } from '#db/links/slug-key.ts';
import { readReferences, resolveReferences } from './references.ts';
import { type LinkResult, createLinks, type CreateLinksOptions } from './create.ts';
import { updateLinks } from './update.ts';

type UpsertLinkResult = LinkResult & { isNew: boolean };

const attempts = 3;

/**
 * Changes the link with the draft's externalId, else with its domain and slug, or creates one. Fields that are not sent stay.
 * Of two concurrent upserts of one name the later one changes the link that the earlier one created.
 * @param options `ifMatch`: the version that the link must have; no link is created then.
 * @throws AppError as `resolveReferences` does; CONFLICT where `ifMatch` does not hold.
 */
export async function upsertLink(
  tx: Transaction,
  actor: Actor,
  draft: LinkDraft,
  {
    passwordHash,
    ifMatch,
    ...options
  }: CreateLinksOptions & { passwordHash: string | null; ifMatch?: Precondition | undefined },
): Promise<UpsertLinkResult> {
  const name = await nameOf(tx, actor, draft, options);
  // Concurrent upserts of one name wait here.
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
    JSON.stringify([actor.organizationId, name]),
  ]);
  for (let attempt = 1; ; attempt += 1) {
    const id = await findLink(tx, actor, name);
    if (id !== undefined) {
      const [changed] = await updateLinks(tx, actor, [{ id, patch: draft, passwordHash, ifMatch }], options);
      return { ...changed!, isNew: false };
    }
    if (ifMatch !== undefined) throw new AppError('CONFLICT', 'There is no such link yet.');
    await tx.query('savepoint making');
    const [made] = await createLinks(tx, actor, [draft], { ...options, passwordHashes: [passwordHash] });
    // A call that is no upsert may have taken the name since `findLink`: the next round changes that link.
    if (made!.ok || made!.error.code !== 'ALREADY_EXIST' || attempt === attempts) return { ...made!, isNew: true };
    await tx.query('rollback to savepoint making');
  }
}

type Name = { externalId: string } | { domainId: string; slug: string };

async function nameOf(tx: Transaction, actor: Actor, draft: LinkDraft, { site }: CreateLinksOptions): Promise<Name> {
  if (draft.externalId) return { externalId: draft.externalId };
  // Lock order: links, then domain (docs/locks.md). The rollback releases the domain, so that the link can be locked first.
  await tx.query('savepoint naming');
  const rows = await readReferences(tx, [actor.organizationId], [draft], site);
  await tx.query('rollback to savepoint naming');
  return { domainId: resolveReferences(draft, rows, actor, site).domain.id, slug: slugKey(draft.slug ?? '') };
}

/** Finds the link with a name, and locks it against deletion. */
async function findLink(tx: Transaction, actor: Actor, name: Name): Promise<string | undefined> {
  const { rows } =
    'externalId' in name
      ? await tx.query<{ id: string }>(
          'select id from short_links where organization_id = $1 and external_id = $2 and deleted_at is null for update',
          [actor.organizationId, name.externalId],
        )
      : await tx.query<{ id: string }>(
          `select id from short_links where domain_id = $1 and ${slugKeyOf('slug')} = $2 and deleted_at is null and organization_id = $3 for update`,
          [name.domainId, name.slug, actor.organizationId],
        );
  return rows[0]?.id;
}
