import type { ReactElement, ReactNode } from 'react';
import { Autocomplete, Menu as AriaMenu, MenuItem, MenuTrigger, Popover, Separator, Text } from 'react-aria-components';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button } from './button.tsx';
import { SearchField } from './list/search-field.tsx';
import { Icon, type IconName } from './icon.tsx';
import css from './menu.module.css';

export interface MenuAction {
  id: string;
  label: string;
  icon?: IconName;
  /** Stands at the end of the line, such as a number. */
  detail?: string | undefined;
  /** The key that does the same. */
  keys?: string | undefined;
  onAction: () => void;
  /** Why it is disabled; undefined: it is not. */
  refusal?: string | undefined;
  isDanger?: boolean;
}

interface MenuProps {
  /** The button that opens the menu; the name of a picture: a small one with the label. */
  trigger: ReactElement | IconName;
  label: string;
  /** Groups, separated by a line. An action that is false or undefined is left out. */
  groups: readonly (readonly (MenuAction | false | undefined)[])[];
  head?: ReactNode;
  /** Called when the menu opens. */
  onOpen?: () => void;
  /** A field above the lines that finds others; the caller filters. */
  search?: { label: string; text: string; onText: (text: string) => void };
  /** Stands below the lines. */
  foot?: ReactNode;
}

export function Menu({ trigger, label, groups, head, onOpen, search, foot }: MenuProps) {
  const words = useUiWords();
  const shown = groups.map((group) => group.filter((action) => action !== undefined && action !== false));
  const actions = new Map(shown.flat().map((action) => [action.id, action]));
  const lines = (
    <AriaMenu
      aria-label={label}
      className={css.menu}
      onAction={(id) => actions.get(String(id))?.onAction()}
      disabledKeys={[...actions.values()].filter(({ refusal }) => refusal !== undefined).map(({ id }) => id)}
    >
      {shown
        .filter((group) => group.length > 0)
        .flatMap((group, index) => [
          ...(index === 0 ? [] : [<Separator key={`line-${String(index)}`} className={css.line} />]),
          ...group.map(({ id, label: name, icon, detail, keys, refusal, isDanger }) => (
            <MenuItem
              key={id}
              id={id}
              textValue={name}
              className={[css.item, isDanger === true ? css.danger : ''].join(' ')}
            >
              {icon !== undefined && <Icon name={icon} />}
              {refusal === undefined ? (
                <Text slot="label">{name}</Text>
              ) : (
                // Part of the name: a description inside the item counts as text that the name lacks (WCAG 2.5.3).
                <span className={css.withReason}>
                  {name} <span className={css.reason}>{refusal}</span>
                </span>
              )}
              {detail !== undefined && <span className={css.detail}>{detail}</span>}
              {keys !== undefined && <kbd className={css.keys}>{keys}</kbd>}
            </MenuItem>
          )),
        ])}
    </AriaMenu>
  );
  return (
    <MenuTrigger onOpenChange={(isOpen) => isOpen && onOpen?.()}>
      {typeof trigger === 'string' ? (
        <Button size="small" icon={trigger}>
          {label}
        </Button>
      ) : (
        trigger
      )}
      <Popover className={css.popover} placement="bottom end">
        {head}
        {search === undefined ? (
          lines
        ) : (
          <Autocomplete inputValue={search.text} onInputChange={search.onText}>
            <div className={css.search}>
              <SearchField
                autoFocus
                label={search.label}
                placeholder={search.label}
                clearLabel={words.clearSearch}
                value={search.text}
                onChange={search.onText}
              />
            </div>
            {lines}
          </Autocomplete>
        )}
        {foot !== undefined && <div className={css.foot}>{foot}</div>}
      </Popover>
    </MenuTrigger>
  );
}
