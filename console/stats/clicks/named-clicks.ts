import { infiniteQueryOptions } from '@tanstack/react-query';
import { linkListQuery } from '#console/api/links/links.ts';
import { type Click, readClicks } from '#console/api/links/stats.ts';
import { filterStates } from '#console/links/search.ts';
import { shownShortUrl } from '#console/links/short-url.ts';

type Range = Parameters<typeof readClicks>[0];
type Filters = Parameters<typeof readClicks>[1];

/** A click with the address of its short link; undefined: the link is deleted. */
export type NamedClick = Click & { shortUrl: string | undefined };

// The most links that the API lists at once.
const perPage = 50;

/** Single clicks with the addresses of their links, the newest first, page after page. */
export function namedClicksQuery(range: Range, filters: Filters) {
  return infiniteQueryOptions({
    queryKey: ['stats', 'named-clicks', range, filters],
    queryFn: async ({ pageParam, signal, client }) => {
      const { data, nextCursor } = await readClicks(range, filters, { limit: perPage, cursor: pageParam }, signal);
      const ids = [...new Set(data.map(({ shortLinkId }) => shortLinkId))];
      const links =
        ids.length === 0
          ? []
          : (await client.fetchQuery(linkListQuery({ ids, states: filterStates }, { limit: perPage }))).data;
      const urls = new Map(links.map(({ id, originUrl }) => [id, shownShortUrl(originUrl)]));
      return {
        nextCursor,
        data: data.map((click): NamedClick => ({ ...click, shortUrl: urls.get(click.shortLinkId) })),
      };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}
