import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Click, exportAddress, readClicks } from '#console/api/links/stats.ts';
import { useFormat } from '#console/i18n/format.ts';
import { buttonClass } from '#console/ui/button.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { Empty } from '#console/ui/page/states.tsx';
import { FilterMenus, StatsFrame } from '#console/stats/filters.tsx';
import { useGroupName } from '#console/stats/names.ts';
import { PeriodBar } from '#console/stats/period-bar.tsx';
import { addDays, startOfDate } from '#console/stats/period.ts';
import { filtersOf } from '#console/stats/search.ts';
import { useStatsView } from '#console/stats/use-stats.ts';
import { useStatsWords } from '#console/stats/words.ts';
import css from '#console/stats/stats.module.css';
import layout from '#console/ui/page/layout.module.css';
import { MoreList } from '#console/ui/list/more-list.tsx';
import { linkListQuery } from '#console/api/links/links.ts';
import { filterStates } from '#console/links/search.ts';
import { shownShortUrl } from '#console/links/short-url.ts';

const noLabels = new Map<string, string>();

/** /stats/clicks */
export default function ClicksPage() {
  const words = useStatsWords();
  const format = useFormat();
  const nameOf = useGroupName();
  const view = useStatsView('/frame/stats/clicks');
  const { search, period, timeZone } = view;
  const range = {
    startDate: startOfDate(period.from, timeZone),
    endDate: startOfDate(addDays(period.to, 1), timeZone),
  };
  const filters = filtersOf(search);
  return (
    <StatsFrame
      title={words.single}
      isPart
      view={view}
      labels={noLabels}
      actions={
        <a className={buttonClass()} href={exportAddress(range, filters)} download>
          <Icon name="download" />
          {words.exportAll}
        </a>
      }
      bar={
        <>
          <PeriodBar {...view} />
          <FilterMenus {...view} />
        </>
      }
    >
      <MoreList
        query={useInfiniteQuery({ ...namedClicksQuery(range, filters), enabled: view.isKnown })}
        itemsOf={(page) => page.data}
        rows={8}
        none={
          <Empty icon="chart" title={words.emptyTitle}>
            {words.noClicks}
          </Empty>
        }
      >
        {(clicks) => (
          <section className={css.clicks}>
            <table className={layout.table}>
              <thead className="wide-only">
                <tr>
                  <th scope="col">{words.time}</th>
                  <th scope="col">{words.filterNames.link}</th>
                  <th scope="col">{words.place}</th>
                  <th scope="col">{words.device}</th>
                  <th scope="col">{words.source}</th>
                  <th scope="col">{words.destination}</th>
                </tr>
              </thead>
              <tbody>
                {clicks.map((click) => (
                  <tr key={click.id}>
                    <th scope="row">
                      <span title={format.whole(click.clickedAt)}>{format.moment(click.clickedAt, timeZone)}</span>
                    </th>
                    <td className={css.address}>
                      {click.shortUrl === undefined ? (
                        '–'
                      ) : (
                        <Link to="/links/$id" params={{ id: click.shortLinkId }}>
                          {click.shortUrl}
                        </Link>
                      )}
                    </td>
                    <td>
                      {[click.city, click.country === null ? words.unknown : nameOf('country', click.country)]
                        .filter(Boolean)
                        .join(', ')}
                    </td>
                    <td>{[click.os, click.browser].filter(Boolean).join(', ') || nameOf('device', click.device)}</td>
                    <td>{click.isQrCode ? words.scan : (click.referer ?? '–')}</td>
                    <td className={css.address}>{click.destination}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )}
      </MoreList>
    </StatsFrame>
  );
}

type Range = Parameters<typeof readClicks>[0];
type Filters = Parameters<typeof readClicks>[1];

/** A click with the address of its short link; undefined: the link is deleted. */
type NamedClick = Click & { shortUrl: string | undefined };

// The most links that the API lists at once.
const perPage = 50;

/** Single clicks with the addresses of their links, the newest first, page after page. */
function namedClicksQuery(range: Range, filters: Filters) {
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
