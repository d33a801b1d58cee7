import { organizationPath, type Shares } from './shares.ts';

/** Counts links in the organization's turn: that reads every one of them. */
export function countInTurn<T>(shares: Shares, organizationId: string, count: () => Promise<T>): Promise<T> {
  return shares.heavyReads.run(organizationPath(organizationId), count);
}

/** The number of links of a row, where it is asked for. */
export function countOf(links: ReadonlyMap<string, number> | undefined, id: string): { links?: number } {
  return links === undefined ? {} : { links: links.get(id) ?? 0 };
}
