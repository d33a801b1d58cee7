import { useQuery } from '@tanstack/react-query';
import { overviewQuery, timelineQuery } from '#console/api/links/stats.ts';
import { ShareTable, TimeBars } from '#console/charts/bars.tsx';
import { useFormat } from '#console/i18n/format.ts';
import type { ShortLink } from '#console/api/types.ts';
import { useLinkWords } from '#console/links/words.ts';
import { useNow } from '#console/ui/browser/now.ts';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { useLinkPageWords } from './words.ts';
import css from './link.module.css';
import layout from '#console/ui/page/layout.module.css';

const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
const dayMs = 86_400_000;
const days = 7;

/** The last seven days of a link: clicks by day and by country. */
export function Week({ link }: { link: ShortLink }) {
  const { id } = link;
  const linkWords = useLinkWords();
  const words = useLinkPageWords();
  const format = useFormat();
  const now = useNow();
  // Days as the person's time zone names them: YYYY-MM-DD.
  const dayOf = (offset: number): string =>
    new Intl.DateTimeFormat('sv-SE', { timeZone }).format(now.getTime() + offset * dayMs);
  const filters = {
    shortLinkIds: [id],
    startDate: dayOf(1 - days),
    endDate: dayOf(1),
    timezone: timeZone,
  };
  return (
    <>
      <p className={css.numbers} role="status">
        <strong className="tabular">{format.number(link.currentClicks)}</strong>
        <span>{words.clicks}</span>
        <span className="quiet">
          {link.lastClickedAt === null
            ? linkWords.neverClicked
            : `${linkWords.lastClick} ${format.ago(link.lastClickedAt, now)}`}
        </span>
      </p>
      <Panel title={words.visits}>
        <Loaded query={useQuery(timelineQuery(filters))} height={11.1}>
          {({ data }) => (
            <TimeBars label={words.visits} bars={data.map(({ date, count }) => ({ name: format.date(date), count }))} />
          )}
        </Loaded>
      </Panel>
      <section className={`${layout.panel} ${css.countries}`} aria-label={words.countries} tabIndex={-1} id="countries">
        <h2>{words.countries}</h2>
        <Loaded query={useQuery(overviewQuery('country', filters))} height={11.1}>
          {({ data, totalClicks }) =>
            totalClicks === 0 ? (
              <p className="quiet">{words.noClicks}</p>
            ) : (
              <ShareTable
                label={words.countries}
                total={totalClicks}
                bars={data.map(({ group, count }) => ({
                  name: /^[A-Z]{2}$/.test(group) ? format.country(group) : words.unknown,
                  count,
                }))}
              />
            )
          }
        </Loaded>
      </section>
    </>
  );
}
