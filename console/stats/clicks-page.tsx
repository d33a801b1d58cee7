import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { clicksQuery, exportAddress } from '#console/api/stats.ts';
import { useTitle } from '#console/app/title.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button, buttonClass } from '#console/ui/button.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { Empty, Failed, Skeleton } from '#console/ui/states.tsx';
import { FilterChips, FilterMenus } from './filters.tsx';
import { useGroupName } from './names.ts';
import { PeriodBar } from './period-bar.tsx';
import { addDays, startOfDate } from './period.ts';
import { filtersOf } from './search.ts';
import { useStatsView } from './use-stats.ts';
import { useStatsWords } from './words.ts';
import css from './stats.module.css';

const noLabels = new Map<string, string>();

/** /stats/clicks */
export function ClicksPage() {
  const words = useStatsWords();
  const format = useFormat();
  const nameOf = useGroupName();
  useTitle(words.single);
  const view = useStatsView('/frame/stats/clicks');
  const { search, period, timeZone } = view;
  const range = {
    startDate: startOfDate(period.from, timeZone),
    endDate: startOfDate(addDays(period.to, 1), timeZone),
  };
  const filters = filtersOf(search);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    clicksQuery(range, filters),
  );
  const clicks = data?.pages.flatMap((page) => page.data);
  return (
    <article className={css.page}>
      <p>
        <Link to="/stats" search={(before) => before}>
          {words.overview}
        </Link>
      </p>
      <header className={css.head}>
        <h1>{words.single}</h1>
        <a className={buttonClass()} href={exportAddress(range, filters)} download>
          <Icon name="download" />
          {words.exportAll}
        </a>
      </header>
      <div className={css.bar}>
        <PeriodBar {...view} />
        <FilterMenus {...view} />
      </div>
      <FilterChips view={view} labels={noLabels} />
      {error !== null && clicks === undefined ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : clicks === undefined ? (
        <Skeleton rows={8} />
      ) : clicks.length === 0 ? (
        <Empty icon="chart" title={words.emptyTitle}>
          {words.noClicks}
        </Empty>
      ) : (
        <section className={css.clicks}>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.time}</th>
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
                    <Link to="/links/$id" params={{ id: click.shortLinkId }} title={format.whole(click.clickedAt)}>
                      {format.moment(click.clickedAt)}
                    </Link>
                  </th>
                  <td>
                    {[click.city, click.country === null ? words.unknown : nameOf('country', click.country)]
                      .filter(Boolean)
                      .join(', ')}
                  </td>
                  <td>{[click.os, click.browser].filter(Boolean).join(', ') || nameOf('device', click.device)}</td>
                  <td>{click.isQrCode ? words.scans : (click.referer ?? '–')}</td>
                  <td className={css.address}>{click.destination}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {hasNextPage && (
            <Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
              {words.loadMore}
            </Button>
          )}
        </section>
      )}
    </article>
  );
}
