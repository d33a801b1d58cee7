import { isIPv6 } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import type { z } from 'zod';
import { normalizeDomainName } from '#commands/links/domain-choice.ts';
import { foldCase } from '#core/lib/text/fold-case.ts';
import { encodedSearchTerm, searchTerm } from '#core/links/search-text.ts';
import type { Actor } from '#core/audit/actor.ts';
import type { Site } from '#core/links/site.ts';
import type { LinkFilters } from '#db/links/list.ts';
import type { countQuerySchema } from './schema.ts';

export function toLinkFilters(
  { organizationId, reach }: Actor,
  query: z.output<typeof countQuerySchema>,
  { site, now }: { site: Site; now: Date },
): LinkFilters {
  const { ids, domainIds, folderIds, tagIds, externalIds, search } = query;
  return {
    organizationId,
    reach,
    ids,
    domainIds,
    folderIds,
    tagIds,
    externalIds,
    search: search && searchTerm(search),
    encodedSearch: search && encodedSearchTerm(search),
    // No domain has a name that cannot be one: it matches nothing.
    domainNames: query.domainNames.map((name) => normalizeDomainName(name, site) ?? ''),
    tagNames: query.tagNames.map(foldCase),
    destinationHosts: query.destinationHosts.flatMap(spellingsOf),
    archived: archivedOf(query),
    states: { among: query.states, now },
    ranges: {
      createdAt: { since: query.createdSince, until: query.createdUntil },
      updatedAt: { since: query.updatedSince, until: query.updatedUntil },
      expiresAt: { since: query.expiresSince, until: query.expiresUntil },
      lastClickedAt: { since: query.clickedSince, until: query.clickedUntil },
    },
  };
}

/** Lists leave archived links out, unless the query asks for them. */
function archivedOf({ isArchived, states }: z.output<typeof countQuerySchema>): LinkFilters['archived'] {
  if (isArchived === true) return 'only';
  return isArchived === undefined && states.includes('archived') ? 'any' : undefined;
}

/** Whether a search reads many links that it does not find. */
export function isHeavy({ search = '', destinationHosts = [], states, ranges = {} }: LinkFilters): boolean {
  const { updatedAt, expiresAt, lastClickedAt } = ranges;
  const bounds = [updatedAt, expiresAt, lastClickedAt].flatMap((range) => [range?.since, range?.until]);
  const isAboutState = states !== undefined && states.among.length > 0;
  return search !== '' || destinationHosts.length > 0 || isAboutState || bounds.some((bound) => bound !== undefined);
}

/**
 * Destinations keep the spelling of their host that the caller sent: in Unicode or in Punycode. An IPv6 address may come without
 * its brackets.
 */
function spellingsOf(host: string): string[] {
  const name = isIPv6(host) ? `[${host.toLowerCase()}]` : host.toLowerCase();
  return [...new Set([name, domainToASCII(name), domainToUnicode(name)])].filter((spelling) => spelling !== '');
}
