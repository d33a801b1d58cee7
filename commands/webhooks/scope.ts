import { refusedReference } from '#core/errors/errors.ts';
import { scopeKinds, type WebhookScope } from '#core/webhooks/scope.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Domain } from '#db/entities/domains.ts';
import { Folder, ShortLink, Tag } from '#db/entities/links/links.ts';

const referents = {
  folderIds: { entity: Folder, noun: 'folder' },
  tagIds: { entity: Tag, noun: 'tag' },
  domainIds: { entity: Domain, noun: 'domain' },
  linkIds: { entity: ShortLink, noun: 'short link' },
} as const satisfies Record<keyof WebhookScope, object>;

/**
 * Refuses a scope that names anything but live folders, tags, domains and links of the organization; platform domains are allowed.
 * Ids that the webhook's present scope has are accepted, also where they were deleted since: clients send back what they read.
 * @param path of the scope in the body; undefined: its fields are those of the body.
 * @throws AppError NOT_FOUND; FORBIDDEN where a thing is another organization's.
 */
export async function requireScope(
  em: EntityManager,
  organizationId: string,
  scope: WebhookScope,
  present: WebhookScope | null,
  path?: string,
): Promise<void> {
  for (const kind of scopeKinds) {
    const ids = scope[kind].filter((id) => present?.[kind].includes(id) !== true);
    if (ids.length === 0) continue;
    const { noun } = referents[kind];
    const owners = await readOwners(em, kind, ids);
    for (const id of ids) {
      const owner = owners.get(id);
      const field = [...(path === undefined ? [] : [path]), kind, scope[kind].indexOf(id)].join('.');
      if (owner === undefined) throw refusedReference('NOT_FOUND', field, `This ${noun} does not exist: ${id}.`);
      if (owner !== null && owner !== organizationId) throw refusedReference('FORBIDDEN', field);
    }
  }
}

/** Reads the organizations of live things by id; null: the platform's. */
async function readOwners(
  em: EntityManager,
  kind: keyof WebhookScope,
  ids: readonly string[],
): Promise<Map<string, string | null>> {
  const rows = await em.find<Folder | Tag | Domain | ShortLink>(referents[kind].entity, { id: { $in: [...ids] } });
  return new Map(rows.map(({ id, organization }) => [id, organization?.id ?? null]));
}
