import { useQuery } from '@tanstack/react-query';
import { usableDomainsQuery } from '#console/api/links/labels.ts';

/** Whether a domain of the organization is switched off, so that none of its links is answered; false until it is known. */
export function useIsDomainOff(id: string): boolean {
  return useQuery(usableDomainsQuery).data?.find((domain) => domain.id === id)?.isActive === false;
}
