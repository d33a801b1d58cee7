import { AppError } from '#core/errors/errors.ts';
import type { Actor } from '#core/audit/actor.ts';

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
