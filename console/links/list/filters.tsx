import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { domainListQuery } from '#console/api/domains.ts';
import {
  allFoldersQuery,
  allTagsQuery,
  folderListQuery,
  tagListQuery,
  usableDomainsQuery,
} from '#console/api/labels.ts';
import { linkStateCountsQuery } from '#console/api/links.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button, IconButton } from '#console/ui/button.tsx';
import { Menu } from '#console/ui/menu.tsx';
import { filtersOf, filterStates, type LinksSearch } from '#console/links/search.ts';
import { useLinkWords } from '#console/links/words.ts';
import css from './list.module.css';

type FilterName = 'domain' | 'folder' | 'tag' | 'state';

interface FiltersProps {
  search: LinksSearch;
  onChange: (change: Partial<LinksSearch>) => void;
}

/** Menus that add a filter. */
export function FilterMenus({ search, onChange }: FiltersProps) {
  const words = useLinkWords();
  const format = useFormat();
  const shown = (count: number | undefined) => (count === undefined ? undefined : format.number(count));
  const { data: domains = [] } = useQuery(usableDomainsQuery);
  const { data: folders = [] } = useQuery(allFoldersQuery);
  const { data: tags = [] } = useQuery(allTagsQuery);
  const [opened, setOpened] = useState<FilterName>();
  const counts = useCounts(search, opened);
  const choices: Record<FilterName, { id: string; label: string }[]> = {
    state: filterStates.map((state) => ({ id: state, label: words.filterStates[state] })),
    folder: byLabel(folders.map(({ id, name }) => ({ id, label: name }))),
    tag: byLabel(tags.map(({ name }) => ({ id: name, label: name }))),
    domain: domains.map(({ domain }) => ({ id: domain, label: domain })),
  };
  const add = (name: FilterName, value: string): void => {
    const before: readonly string[] = search[name] ?? [];
    onChange({ [name]: [...new Set([...before, value])] });
  };
  return (['state', 'folder', 'tag', 'domain'] as const).map((name) => (
    <Menu
      key={name}
      label={words[name]}
      onOpen={() => setOpened(name)}
      trigger={
        <Button size="small" icon="filter" isDisabled={choices[name].length === 0}>
          {words[name]}
        </Button>
      }
      groups={[
        choices[name].map(({ id, label }) => ({
          id,
          label,
          detail: name === opened ? shown(counts.get(id)) : undefined,
          ...(search[name]?.includes(id as never) ? { icon: 'check' as const } : {}),
          onAction: () => add(name, id),
        })),
      ]}
    />
  ));
}

function byLabel(choices: { id: string; label: string }[]) {
  return choices.toSorted((one, other) => one.label.localeCompare(other.label));
}

/** Numbers of links by the choices of a menu, read when it opens: each counts all links of the organization. */
function useCounts({ state: _state, ...others }: LinksSearch, opened: FilterName | undefined): Map<string, number> {
  const states = useQuery({ ...linkStateCountsQuery(filtersOf(others)), enabled: opened === 'state' });
  const folders = useQuery({ ...folderListQuery({ withCounts: true }), enabled: opened === 'folder' });
  const tags = useQuery({ ...tagListQuery({ withCounts: true }), enabled: opened === 'tag' });
  const domains = useQuery({ ...domainListQuery(), enabled: opened === 'domain' });
  const counts: Record<FilterName, readonly (readonly [string, number | undefined])[]> = {
    state: (states.data?.data ?? []).map(({ state, count }) => [state, count]),
    folder: (folders.data?.data ?? []).map(({ id, links }) => [id, links]),
    tag: (tags.data?.data ?? []).map(({ name, links }) => [name, links]),
    domain: (domains.data?.data ?? []).map(({ domain, links }) => [domain, links]),
  };
  const pairs = opened === undefined ? [] : counts[opened];
  return new Map(pairs.flatMap(([id, count]) => (count === undefined ? [] : [[id, count]])));
}

/** The filters that are set, each of which can be removed. */
export function FilterChips({ search, onChange }: FiltersProps) {
  const words = useLinkWords();
  const { data: folders } = useQuery(allFoldersQuery);
  const nameOf = (name: FilterName, value: string): string => {
    if (name === 'folder') return folders?.find(({ id }) => id === value)?.name ?? value;
    return name === 'state' ? words.filterStates[value as (typeof filterStates)[number]] : value;
  };
  const set = (['state', 'folder', 'tag', 'domain'] as const).flatMap((name) =>
    (search[name] ?? []).map((value) => ({ name, value, shown: nameOf(name, value) })),
  );
  if (set.length === 0) return null;
  return (
    <ul className={css.chips} aria-label={words.filters}>
      {set.map(({ name, value, shown }) => (
        <li key={`${name} ${value}`} className={css.filterChip}>
          {words[name]}: {shown}
          <IconButton
            icon="close"
            size="small"
            label={words.removeFilter(shown)}
            onPress={() => {
              const rest = (search[name] as readonly string[]).filter((one) => one !== value);
              onChange({ [name]: rest.length === 0 ? undefined : rest });
            }}
          />
        </li>
      ))}
      <li>
        <Button
          size="small"
          variant="plain"
          onPress={() => onChange({ domain: undefined, folder: undefined, tag: undefined, state: undefined })}
        >
          {words.clear}
        </Button>
      </li>
    </ul>
  );
}
