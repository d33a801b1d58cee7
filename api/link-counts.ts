import { AppError } from '#core/errors/errors.ts';
import type { Actor } from '#core/audit/actor.ts';
import type { Shares } from './shares.ts';

/** Counts links in the organization's turn: that reads every one of them. */
export function countInTurn<T>(shares: Shares, organizationId: string, count: () => Promise<T>): Promise<T> {
  return shares.heavyReads(organizationId, count);
}

/** Refuses counts of links to a restricted key: they count all links of a folder or domain. @throws AppError FORBIDDEN. */
export function refuseCounts({ reach }: Actor): void {
  if (reach === undefined) return;
  throw new AppError(
    'FORBIDDEN',
    'This API key is restricted to folders or domains, and withCounts does not keep to them.',
  );
}

/** The number of links of a row, where it is asked for. */
export function countOf(links: ReadonlyMap<string, number> | undefined, id: string): { links?: number } {
  return links === undefined ? {} : { links: links.get(id) ?? 0 };
}
