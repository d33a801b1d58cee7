import { useQuery } from '@tanstack/react-query';
import { linkQuery } from '#console/api/links.ts';
import { Button, IconButton } from '#console/ui/button.tsx';
import { ChoiceMenu } from '#console/organize/labels/choice-menu.tsx';
import { setFilters, toggleFilter } from './search.ts';
import { type StatsView, useFilterName, withoutFilters } from './use-stats.ts';
import { useStatsWords } from './words.ts';
import css from './stats.module.css';

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
  if (set.length === 0) return null;
  return (
    <ul className={css.chips} aria-label={words.filters}>
      {set.map(({ name, value }) => {
        const shown = `${words.filterNames[name]}: ${nameOf(name, value)}`;
        return (
          <li key={`${name} ${value}`} className={css.chip}>
            <span>{shown}</span>
            <IconButton
              icon="close"
              size="small"
              label={words.removeFilter(shown)}
              onPress={() => change(toggleFilter(search, name, value, true))}
            />
          </li>
        );
      })}
      <li>
        <Button size="small" variant="plain" onPress={() => change(withoutFilters(search))}>
          {words.clear}
        </Button>
      </li>
    </ul>
  );
}
