import { useQuery } from '@tanstack/react-query';
import { organizationQuery } from '#console/api/organization.ts';
import type { ShortLink } from '#console/api/types.ts';
import type { ThreatPolicy } from '#core/threats/policy.ts';

/** What visitors of flagged destinations get; undefined where the link has none, and until it is read. */
export function useThreatPolicy(link: ShortLink | undefined): ThreatPolicy | undefined {
  const destinations = link === undefined ? [] : [link, ...link.rules].map(({ destination }) => destination);
  const isFlagged = destinations.some(({ threatTypes }) => (threatTypes?.length ?? 0) > 0);
  return useQuery({ ...organizationQuery, enabled: isFlagged }).data?.threatPolicy;
}
