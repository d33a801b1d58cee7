import { Button as AriaButton, Disclosure, DisclosurePanel, Heading } from 'react-aria-components';
import type { ImportFormat } from '#core/imports/formats.ts';
import { type ColumnUse, listFields } from '#core/imports/mapping.ts';
import { Button } from '#console/ui/button.tsx';
import { Select } from '#console/ui/form/list-field.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { useImportWords } from '#console/imports/words.ts';
import type { FileHead } from './reader.worker.ts';
import css from '#console/imports/imports.module.css';

interface ColumnTableProps {
  format: ImportFormat;
  head: FileHead;
  uses: readonly ColumnUse[];
  /** Uses that the person chose, by the place of the column. */
  changed: ReadonlyMap<number, ColumnUse>;
  onChange: (changed: ReadonlyMap<number, ColumnUse>) => void;
  /** Whether the table is shown at once. */
  isOpen: boolean;
}

/** What each column is read as, with a menu. */
export function ColumnTable({ format, head: { header, examples }, uses, changed, onChange, isOpen }: ColumnTableProps) {
  const words = useImportWords();
  const own = words.columns;
  const fields = listFields(format);
  const used = uses.filter((use) => use !== 'ignored').length;

  function choose(index: number, use: ColumnUse): void {
    const next = new Map(changed);
    // A field is read from one column.
    if (use !== 'ignored' && use !== 'other')
      for (const [other, before] of uses.entries()) if (before === use) next.set(other, 'ignored');
    next.set(index, use);
    onChange(next);
  }

  return (
    <Disclosure className={`${css.card} ${css.folded}`} defaultExpanded={isOpen}>
      <div className={css.cardHead}>
        <Heading level={2} className={css.small}>
          <AriaButton slot="trigger" className={css.unfold}>
            <Icon name="chevronRight" size={16} />
            {own.title}
            <span className="quiet">{own.summary(used, header.length)}</span>
          </AriaButton>
        </Heading>
        {changed.size > 0 && (
          <Button size="small" icon="undo" onPress={() => onChange(new Map())}>
            {own.reset}
          </Button>
        )}
      </div>
      <DisclosurePanel>
        <ul className={css.columns}>
          {header.map((column, index) => {
            const name = column === '' ? own.unnamed(index + 1) : column;
            const use = uses[index] ?? 'ignored';
            return (
              // oxlint-disable-next-line react/no-array-index-key -- columns have no other identity than their place
              <li key={index}>
                <span className={css.column}>{name}</span>
                <span className="quiet clip">{examples[index]}</span>
                <Select<ColumnUse>
                  label={own.readAsOf(name)}
                  isLabelHidden
                  value={use}
                  onChange={(next) => choose(index, next)}
                  choices={[
                    { id: 'ignored' as const, label: own.ignored },
                    ...(use === 'other' ? [{ id: 'other' as const, label: own.other }] : []),
                    ...fields.map((field) => ({ id: field, label: words.fields[field] })),
                  ]}
                />
              </li>
            );
          })}
        </ul>
      </DisclosurePanel>
    </Disclosure>
  );
}
