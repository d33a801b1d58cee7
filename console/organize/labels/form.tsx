import { useState } from 'react';
import { createLabel, type LabelKind, updateLabel } from '#console/api/links/labels.ts';
import type { Folder, Tag } from '#console/api/types.ts';
import { TextField } from '#console/ui/form/field.tsx';
import { Select } from '#console/ui/form/list-field.tsx';
import { type ColorName, colorNames, namedColors, nameOfColor } from './colors.ts';
import { Swatch } from './swatch.tsx';
import { RowForm } from '#console/organize/row-form.tsx';
import { useOrganizeWords } from '#console/organize/words.ts';
import css from '#console/organize/organize.module.css';
import { useChange } from '#console/ui/form/use-change.ts';

interface LabelFormProps {
  kind: LabelKind;
  /** The label that changes; undefined: a new one. */
  label: Folder | Tag | undefined;
  onClose: () => void;
}

/** Name and colour, edited in the place of the row. What was typed stays where the API refuses it. */
export function LabelForm({ kind, label, onClose }: LabelFormProps) {
  const words = useOrganizeWords();
  const [name, setName] = useState(label?.name ?? '');
  const [color, setColor] = useState(label?.color ?? namedColors.blue);
  const [isOwn, setOwn] = useState(nameOfColor(color) === undefined);
  const keepsName = label !== undefined && 'isDefault' in label && label.isDefault;

  const save = useChange({
    send: (_input: void, intent): Promise<unknown> =>
      label === undefined
        ? createLabel(kind, { name, color }, intent)
        : updateLabel(kind, label.id, {
            ...(name === label.name ? {} : { name }),
            ...(color === label.color ? {} : { color }),
          }),
    done: label === undefined ? words[kind].made(name) : words.saved,
    failed: words.notSaved(name),
    fields: ['name', 'color'],
    taken: words[kind].taken,
    refresh: [[`${kind}s`], ['links']],
    leave: onClose,
  });

  return (
    <RowForm
      className={css.form}
      label={label === undefined ? words[kind].make : words.renameOf(label.name)}
      name={name}
      onName={setName}
      keepsName={keepsName ? words.keepsName : undefined}
      save={save}
      onClose={onClose}
    >
      <div className={css.color}>
        <Swatch color={color} />
        <Select<ColorName | 'other'>
          label={words.color}
          value={isOwn ? 'other' : (nameOfColor(color) ?? 'other')}
          onChange={(next) => {
            setOwn(next === 'other');
            if (next !== 'other') setColor(namedColors[next]);
          }}
          error={save.issues.color}
          choices={[
            ...colorNames.map((id) => ({ id, label: words.colors[id] })),
            { id: 'other' as const, label: words.otherColor },
          ]}
        />
        {isOwn && <TextField label={words.ownColor} type="color" value={color} onChange={setColor} />}
      </div>
    </RowForm>
  );
}
