import { useQuery } from '@tanstack/react-query';
import { linkQuery } from '#console/api/links/links.ts';
import { ChoiceMenu } from '#console/organize/labels/choice-menu.tsx';
import { FilterChips as Chips } from '#console/ui/list/filter-chips.tsx';
import { setFilters, toggleFilter } from './search.ts';
import { type StatsView, useFilterName, withoutFilters } from './use-stats.ts';
import { useStatsWords } from './words.ts';

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

/** The filters that are set, each of which can be removed. @param labels short URLs of links by their ids. */
export function FilterChips({ view, labels }: { view: StatsView; labels: ReadonlyMap<string, string> }) {
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
  return <Chips chips={chips} onClear={() => change(withoutFilters(search))} />;
}
