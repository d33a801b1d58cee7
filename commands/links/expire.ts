import { toActivityRow } from '#core/audit/activity.ts';
import type { Site } from '#core/links/site.ts';
import { createExpiredEvent } from '#core/webhooks/events.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ShortLink } from '#db/entities/links/links.ts';
import { insertActivities } from '#db/audit/activities.ts';
import { insertEvents } from '#db/webhooks/insert-events.ts';

/**
 * Writes `link.expired` for links whose end has passed, once for each end, in one transaction with the mark that says so.
 * @param among only links with these ids; undefined: all.
 * @returns the number of links; fewer than `limit`: none is left that no other transaction holds.
 */
export async function reportExpired(
  em: EntityManager,
  { site, now, ...which }: { site: Pick<Site, 'originUrl'>; now: Date; limit: number; among?: readonly string[] },
): Promise<number> {
  const links = await em.getRepository(ShortLink).holdExpired({ now, ...which });
  const ended = links.map((link) => ({
    id: link.id,
    organizationId: link.organization.id,
    slug: link.slug,
    domain: link.domain.domain,
    expiresAt: link.reportEnd(),
  }));
  await em.flush();
  await insertEvents(
    em,
    ended.map((link) => createExpiredEvent(link, site, now)),
  );
  await insertActivities(
    em,
    ended.map(({ id, organizationId, slug }) =>
      toActivityRow('system', organizationId, { action: 'shortLink.expired', subjectId: id, name: slug }, now),
    ),
  );
  return links.length;
}
