import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { linkQuery } from '#console/api/links/links.ts';
import { useTitle } from '#console/app/places/title.ts';
import { ChoiceMenu } from '#console/organize/labels/choice-menu.tsx';
import { FilterChips as Chips } from '#console/ui/list/filter-chips.tsx';
import { setFilters, toggleFilter } from './search.ts';
import { type StatsView, useFilterName, withoutFilters } from './use-stats.ts';
import { useStatsWords } from './words.ts';
import css from './stats.module.css';
import layout from '#console/ui/page/layout.module.css';

/** Menus of folders, tags and domains: what no breakdown shows. */
export function FilterMenus({ search, change }: StatsView) {
  const words = useStatsWords();
  return (['folder', 'tag', 'domain'] as const).map((kind) => (
    <ChoiceMenu
      key={kind}
      kind={kind}
      label={words.filterNames[kind]}
      by="id"
      chosen={search[kind] ?? []}
      onChoose={(id) => change(toggleFilter(search, kind, id, true))}
    />
  ));
}

interface StatsFrameProps {
  title: string;
  /** Whether the page is a part of the statistics, with the way back to them. */
  isPart?: boolean;
  view: StatsView;
  /** Short URLs of links by their ids. */
  labels: ReadonlyMap<string, string>;
  /** Beside the heading. */
  actions?: ReactNode;
  /** Controls of the period and of filters. */
  bar?: ReactNode;
  children: ReactNode;
}

/** A page of statistics: its head, its filters, and what it shows of them. */
export function StatsFrame({ title, isPart = false, view, labels, actions, bar, children }: StatsFrameProps) {
  const words = useStatsWords();
  useTitle(title);
  return (
    <article className={layout.page}>
      {isPart && (
        <p className={layout.back}>
          <Link to="/stats" search={(before) => before}>
            {words.title}
          </Link>
        </p>
      )}
      <header className={layout.head}>
        <h1>{title}</h1>
        {actions}
      </header>
      {bar !== undefined && <div className={css.bar}>{bar}</div>}
      <FilterChips view={view} labels={labels} />
      {children}
    </article>
  );
}

/** The filters that are set, each of which can be removed. @param labels short URLs of links by their ids. */
function FilterChips({ view, labels }: { view: StatsView; labels: ReadonlyMap<string, string> }) {
  const words = useStatsWords();
  const { search, change } = view;
  const set = setFilters(search);
  // The name of a link that no breakdown shows.
  const unnamed = set.find(({ name, value }) => name === 'link' && !labels.has(value))?.value;
  const { data: link } = useQuery({ ...linkQuery(unnamed ?? ''), enabled: unnamed !== undefined });
  const nameOf = useFilterName(link === undefined ? labels : new Map([...labels, [link.data.id, link.data.originUrl]]));
  const chips = set.map(({ name, value }) => ({
    key: `${name} ${value}`,
    text: `${words.filterNames[name]}: ${nameOf(name, value)}`,
    remove: () => change(toggleFilter(search, name, value, true)),
  }));
  return <Chips chips={chips} onClear={() => change(withoutFilters())} />;
}
