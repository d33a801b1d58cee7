import { AppError } from '#core/errors/errors.ts';
import type { Actor } from '#core/audit/actor.ts';
import { requireOwn } from './ownership.ts';

/**
 * The folders and domains to which an API key is restricted; null: to none of the kind. The key reaches the links that are in one
 * of the folders and on one of the domains, with everything that belongs to them, and nothing else: a route that does not keep to a reach
 * refuses such keys (`keepsReach` in `api/plugins/caller/access.ts`).
 */
export interface Reach {
  folderIds: readonly string[] | null;
  domainIds: readonly string[] | null;
}

/** A kind of things to which a key may be restricted. */
type ReachKind = keyof Reach;

/** The reach of folders and domains of a key; undefined where it is not restricted. */
export function toReach({ folderIds, domainIds }: Reach): Reach | undefined {
  return folderIds === null && domainIds === null ? undefined : { folderIds, domainIds };
}

/** A link of an organization, and its place. */
interface PlacedLink {
  organizationId: string;
  folderId: string;
  domain: { id: string };
}

/** Whether an actor reaches a folder or a domain. */
export function reaches({ reach }: Pick<Actor, 'reach'>, kind: ReachKind, id: string): boolean {
  return reach?.[kind]?.includes(id) ?? true;
}

/** Whether a link is of the actor's organization, and within its reach. */
export function reachesLink(actor: Pick<Actor, 'organizationId' | 'reach'>, link: PlacedLink): boolean {
  if (link.organizationId !== actor.organizationId) return false;
  return reaches(actor, 'folderIds', link.folderId) && reaches(actor, 'domainIds', link.domain.id);
}

/**
 * Returns a link that the actor may see and change. Every read and change of one link passes here; bulk calls use `reachesLink`, lists take the reach into
 * their statement (`LinkFilters`).
 * @throws AppError NOT_FOUND where there is none or none within the actor's reach, FORBIDDEN where it is another organization's.
 */
export function requireLink<T extends PlacedLink>(link: T | undefined, actor: Actor): T {
  const own = requireOwn(link, actor, 'short link');
  if (reachesLink(actor, own)) return own;
  throw new AppError('NOT_FOUND', 'This short link does not exist.');
}

/** Returns a row that the actor may see, as `requireOwn` does; one beyond its reach does not exist for it. */
export function requireReached<T extends { id: string } & Parameters<typeof requireOwn>[0]>(
  row: T | null | undefined,
  actor: Actor,
  kind: ReachKind,
): T {
  const noun = nouns[kind];
  const own = requireOwn(row, actor, noun);
  if (reaches(actor, kind, own.id)) return own;
  throw new AppError('NOT_FOUND', `This ${noun} does not exist.`);
}

/**
 * Checks the place that a link gets. @param action what the actor does to the link.
 * @throws AppError ACTION_NOT_ALLOWED naming the field, where it is beyond the actor's reach.
 */
export function requirePlace(
  actor: Pick<Actor, 'reach'>,
  { folderId, domainId }: { folderId?: string; domainId: string },
  action: 'create' | 'update',
): void {
  const place = { folderIds: folderId, domainIds: domainId };
  for (const kind of ['folderIds', 'domainIds'] as const) {
    const id = place[kind];
    if (id === undefined || reaches(actor, kind, id)) continue;
    const { [kind]: noun } = nouns;
    const message = `${noun}Id: this key is restricted to other ${noun}s than ${id}; name one of them.`;
    throw new AppError('ACTION_NOT_ALLOWED', message, { resource: 'shortLinks', action });
  }
}

const nouns = { folderIds: 'folder', domainIds: 'domain' } as const satisfies Record<ReachKind, string>;
