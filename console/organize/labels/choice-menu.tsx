import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { domainSearchQuery } from '#console/api/domains.ts';
import { labelListQuery, labelsPerPage, usableDomainsQuery } from '#console/api/links/labels.ts';
import { useFormat } from '#console/i18n/format.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Menu } from '#console/ui/menu.tsx';

interface ChoiceMenuProps {
  kind: 'folder' | 'tag' | 'domain';
  label: string;
  /** What a choice is known by in the address. */
  by: 'id' | 'name';
  chosen: readonly string[];
  onChoose: (value: string) => void;
}

/** A filter by folders, tags or domains with their numbers of links; its search asks the API. */
export function ChoiceMenu({ kind, label, by, chosen, onChoose }: ChoiceMenuProps) {
  const words = useUiWords();
  const format = useFormat();
  const [isOpened, setOpened] = useState(false);
  const [text, setText] = useState('');
  const { found, count, isLoaded } = useChoices(kind, useDeferredValue(text.trim()), isOpened);
  return (
    <Menu
      label={label}
      trigger="filter"
      onOpen={() => {
        setText('');
        setOpened(true);
      }}
      search={{ label: words.searchIn(label), text, onText: setText }}
      foot={
        <p className="quiet" role="status">
          {!isLoaded ? words.loading : found.length === 0 ? words.nothingFound : ''}
          {count > found.length && words.typeForMore(count - found.length)}
        </p>
      }
      groups={[
        found.map(({ id, name, links }) => {
          const value = by === 'id' ? id : name;
          return {
            id,
            label: name,
            detail: links === undefined ? undefined : format.number(links),
            ...(chosen.includes(value) ? { icon: 'check' as const } : {}),
            onAction: () => onChoose(value),
          };
        }),
      ]}
    />
  );
}

interface FoundChoice {
  id: string;
  name: string;
  links?: number | undefined;
}

/** The first choices whose name has a text, in the order of the alphabet, and how many there are. */
function useChoices(kind: ChoiceMenuProps['kind'], search: string, isOpened: boolean) {
  const isOfDomains = kind === 'domain';
  const labels = useQuery({
    ...labelListQuery(isOfDomains ? 'tag' : kind, { search, withCounts: true }),
    enabled: isOpened && !isOfDomains,
  });
  const own = useQuery({
    ...domainSearchQuery(search),
    enabled: isOpened && isOfDomains,
    placeholderData: keepPreviousData,
  });
  const usable = useQuery({ ...usableDomainsQuery, enabled: isOpened && isOfDomains });
  const shared = (usable.data ?? []).filter(
    ({ createdAt, domain }) => createdAt === null && domain.includes(search.toLowerCase()),
  );
  const { data } = isOfDomains ? own : labels;
  const rows: FoundChoice[] = (data?.data ?? []).map((row) => ({
    ...row,
    name: 'name' in row ? row.name : row.domain,
  }));
  const others: FoundChoice[] = isOfDomains ? shared.map(({ id, domain }) => ({ id, name: domain })) : [];
  return {
    found: rows.toSorted((one, other) => one.name.localeCompare(other.name)).concat(others),
    count: data !== undefined && data.count > labelsPerPage ? data.count + others.length : 0,
    isLoaded: data !== undefined,
  };
}
