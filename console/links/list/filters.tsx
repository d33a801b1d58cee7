import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { allFoldersQuery } from '#console/api/links/labels.ts';
import { linkStateCountsQuery } from '#console/api/links/links.ts';
import { useFormat } from '#console/i18n/format.ts';
import { FilterChips as Chips } from '#console/ui/list/filter-chips.tsx';
import { Menu } from '#console/ui/menu.tsx';
import { type FilterName, filtersOf, type FilterState, filterStates, type LinksSearch } from '#console/links/search.ts';
import { useLinkWords } from '#console/links/words.ts';
import css from './list.module.css';
import { ChoiceMenu } from '#console/organize/labels/choice-menu.tsx';

interface FiltersProps {
  search: LinksSearch;
  onChange: (change: Partial<LinksSearch>) => void;
}

export function FilterMenus({ search, onChange }: FiltersProps) {
  const words = useLinkWords();
  const format = useFormat();
  const [isOpened, setOpened] = useState(false);
  const { state: _state, ...others } = search;
  const states = useQuery({ ...linkStateCountsQuery(filtersOf(others)), enabled: isOpened });
  const countOf = new Map(states.data?.data.map(({ state, count }) => [state, format.number(count)]));
  const add = (name: FilterName, value: string): void => {
    const before: readonly string[] = search[name] ?? [];
    onChange({ [name]: [...new Set([...before, value])] });
  };
  return (
    <>
      <Menu
        label={words.state}
        onOpen={() => setOpened(true)}
        trigger="filter"
        groups={[
          filterStates.map((state) => ({
            id: state,
            label: words.stateNames[state],
            detail: countOf.get(state),
            icon: search.state?.includes(state) === true ? 'check' : undefined,
            onAction: () => add('state', state),
          })),
        ]}
      />
      {(['folder', 'tag', 'domain'] as const).map((kind) => (
        <ChoiceMenu
          key={kind}
          kind={kind}
          label={words[kind]}
          by={kind === 'folder' ? 'id' : 'name'}
          chosen={search[kind] ?? []}
          onChoose={(value) => add(kind, value)}
        />
      ))}
    </>
  );
}

/** The filters that are set, each of which can be removed. */
export function FilterChips({ search, onChange }: FiltersProps) {
  const words = useLinkWords();
  const { data: folders } = useQuery(allFoldersQuery);
  const nameOf = (name: FilterName, value: string): string => {
    if (name === 'folder') return folders?.find(({ id }) => id === value)?.name ?? value;
    return name === 'state' ? words.stateNames[value as FilterState] : value;
  };
  const chips = (['state', 'folder', 'tag', 'domain'] as const).flatMap((name) =>
    (search[name] ?? []).map((value) => ({
      key: `${name} ${value}`,
      text: `${words[name]}: ${nameOf(name, value)}`,
      remove: () => {
        const rest = (search[name] as readonly string[]).filter((one) => one !== value);
        onChange({ [name]: rest.length === 0 ? undefined : rest });
      },
    })),
  );
  const clear = (): void => onChange({ domain: undefined, folder: undefined, tag: undefined, state: undefined });
  return <Chips className={css.chips} chips={chips} onClear={clear} />;
}
