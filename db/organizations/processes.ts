import { ShortLink } from '#db/entities/links/links.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Domain } from '#db/entities/domains.ts';
import { Import } from '#db/entities/imports.ts';
import { Webhook } from '#db/entities/webhooks.ts';

// What runs and what comes next for an organization, by the rows of its processes: they are right while Temporal is away, too.

// People read no more, and each statement stays quick.
const shownAtMost = 100;

/** Deletions that are under way: `linksRemoved` of `links` are gone. */
export function listDeletionsOf(em: EntityManager, organizationId: string) {
  return em.kysely
    .selectFrom('Deletion as p')
    .leftJoin('Domain as d', 'd.id', 'p.id')
    .leftJoin('Folder as f', 'f.id', 'p.id')
    .select(['p.id', 'p.kind', 'p.links', 'p.linksRemoved', 'p.deletedAt'])
    .select(({ fn }) => fn.coalesce('d.domain', 'f.name').as('name'))
    .where('p.organizationId', '=', organizationId)
    .orderBy('p.deletedAt', 'desc')
    .limit(shownAtMost)
    .execute();
}

/** Recoveries of missed events that are under way: events up to `afterAt` are done. */
export function listRecoveriesOf(em: EntityManager, organizationId: string) {
  return em.kysely
    .selectFrom('WebhookRecovery as r')
    .innerJoin('Webhook as w', 'w.id', 'r.webhookId')
    .select(['w.id', 'w.name', 'w.url', 'r.since', 'r.until', 'r.afterAt', 'r.createdAt'])
    .where('w.organization', '=', organizationId)
    .where('w.deletedAt', 'is', null)
    .orderBy('w.id')
    .limit(shownAtMost)
    .execute();
}

export function listUnfinishedImportsOf(em: EntityManager, organizationId: string): Promise<Import[]> {
  return em.find(
    Import,
    { organization: organizationId, state: { $in: ['pending', 'running', 'undoing'] } },
    { orderBy: { createdAt: 'desc' }, limit: shownAtMost },
  );
}

/** Domains that are not verified, or whose last check found them wrong. */
export function listUnsettledDomainsOf(em: EntityManager, organizationId: string): Promise<Domain[]> {
  return em.find(
    Domain,
    { organization: organizationId, $or: [{ isVerified: false }, { failedChecks: { $gt: 0 } }] },
    { orderBy: { nextCheckAt: 'asc' }, limit: shownAtMost, populate: ['dns'] },
  );
}

/** Webhooks that are on and fail, or whose earlier secret still signs at `now`. */
export function listUnsettledWebhooksOf(em: EntityManager, organizationId: string, now: Date): Promise<Webhook[]> {
  return em.find(
    Webhook,
    {
      organization: organizationId,
      $or: [{ isActive: true, failingSince: { $ne: null } }, { previousSecretUntil: { $gt: now } }],
    },
    { orderBy: { id: 'asc' }, limit: shownAtMost },
  );
}

/** Links that end between two moments, those first that end first. */
export function listEndingLinksOf(
  em: EntityManager,
  organizationId: string,
  { now, until }: { now: Date; until: Date },
) {
  return em.find(
    ShortLink,
    { organization: organizationId, isArchived: false, expiresAt: { $gt: now, $lte: until } },
    { fields: ['id', 'slug', 'expiresAt'], orderBy: { expiresAt: 'asc' }, limit: shownAtMost },
  );
}
