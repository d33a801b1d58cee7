import { useKeyHint } from '#console/app/keys.ts';
import { Button, IconButton } from '#console/ui/button.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import { Menu } from '#console/ui/menu.tsx';
import { useFormat } from '#console/i18n/format.ts';
import { browserZone, isDate, namedPeriod, nameOf, periodNames, periodSearch, shiftPeriod } from './period.ts';
import type { StatsView } from './use-stats.ts';
import { useStatsWords } from './words.ts';
import css from './stats.module.css';
import layout from '#console/ui/page/layout.module.css';

const keys: Readonly<Partial<Record<string, string>>> = { day: 'd', week: 'w', month: 'm', year: 'y' };

/** The time zone of days and hours: the sender's, where the address was shared. */
export function ZoneNote({ timeZone, change }: StatsView) {
  const words = useStatsWords();
  return (
    <p className={css.zone}>
      {words.zone(timeZone)}
      {timeZone !== browserZone() && (
        <Button size="small" variant="plain" onPress={() => change({ zone: browserZone() })}>
          {words.ownZone}
        </Button>
      )}
    </p>
  );
}

/** Which days are shown: by name, by dates, or moved by one length. */
export function PeriodBar(view: StatsView) {
  const { search, period, today, change } = view;
  const words = useStatsWords();
  const keyHint = useKeyHint();
  const format = useFormat();
  const isNamed = search.period !== undefined && search.from === undefined && search.to === undefined;
  const name = isNamed ? search.period : nameOf(period, today);
  const dates = `${format.date(period.from)} – ${format.date(period.to)}`;
  const set = (next: { from: string; to: string }): void => change(periodSearch(next, today));
  return (
    <div className={layout.actions} role="group" aria-label={words.period}>
      <IconButton icon="back" label={words.earlier} hint="←" onPress={() => set(shiftPeriod(period, -1, today))} />
      <Menu
        label={words.period}
        trigger={
          <Button size="small" icon="calendar">
            {name === undefined ? dates : words.periods[name]}
          </Button>
        }
        head={
          <div className={css.dates}>
            <TextField
              label={words.since}
              type="date"
              value={period.from}
              onChange={(from) => isDate(from) && set({ from, to: period.to < from ? from : period.to })}
            />
            <TextField
              label={words.until}
              type="date"
              value={period.to}
              onChange={(to) => isDate(to) && set({ from: period.from > to ? to : period.from, to })}
            />
          </div>
        }
        groups={[
          periodNames.map((one) => ({
            id: one,
            label: words.periods[one],
            keys: keys[one] === undefined ? undefined : keyHint(keys[one]),
            ...(one === name ? { icon: 'check' as const } : {}),
            onAction: () => change(namedPeriod(one)),
          })),
        ]}
      />
      <IconButton
        icon="chevronRight"
        label={words.later}
        hint="→"
        isDisabled={period.to >= today}
        onPress={() => set(shiftPeriod(period, 1, today))}
      />
      <ZoneNote {...view} />
    </div>
  );
}
