import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { createLabel, type LabelKind, updateLabel } from '#console/api/labels.ts';
import { ApiError, issuesByPath } from '#console/api/error.ts';
import type { Folder, Tag } from '#console/api/types.ts';
import { useKeys } from '#console/app/keys.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button } from '#console/ui/button.tsx';
import { Select, TextField } from '#console/ui/field.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { type ColorName, colorNames, namedColors, nameOfColor } from './colors.ts';
import { Swatch } from './swatch.tsx';
import { useOrganizeWords } from '#console/organize/words.ts';
import css from '#console/organize/organize.module.css';

interface LabelFormProps {
  kind: LabelKind;
  /** The label that changes; undefined: a new one. */
  label: Folder | Tag | undefined;
  onClose: () => void;
}

/** Name and colour, edited in the place of the row. What was typed stays where the API refuses it. */
export function LabelForm({ kind, label, onClose }: LabelFormProps) {
  const words = useOrganizeWords();
  const ui = useUiWords();
  const queries = useQueryClient();
  const [name, setName] = useState(label?.name ?? '');
  const [color, setColor] = useState(label?.color ?? namedColors.blue);
  const [isOwn, setOwn] = useState(nameOfColor(color) === undefined);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [isPending, setPending] = useState(false);
  // One key for this form, so that a double Enter makes one label.
  const [intent, setIntent] = useState(() => crypto.randomUUID());
  const keepsName = label !== undefined && 'isDefault' in label && label.isDefault;

  useKeys({ Escape: onClose });

  async function save(): Promise<void> {
    setPending(true);
    setErrors({});
    try {
      if (label === undefined) await createLabel(kind, { name, color }, intent);
      else {
        await updateLabel(kind, label.id, {
          ...(name === label.name ? {} : { name }),
          ...(color === label.color ? {} : { color }),
        });
      }
      sayDone(label === undefined ? words[kind].made(name) : words.saved);
      onClose();
      await Promise.all([
        queries.invalidateQueries({ queryKey: [`${kind}s`] }),
        queries.invalidateQueries({ queryKey: ['links'] }),
      ]);
    } catch (error) {
      setPending(false);
      // A refused body is another intent than the corrected one; a call whose answer got lost is still the same.
      const isPassing = error instanceof ApiError && error.isPassing;
      if (!isPassing) setIntent(crypto.randomUUID());
      const found = issuesByPath(error);
      if (error instanceof ApiError && error.code === 'ALREADY_EXIST') setErrors({ name: words[kind].taken });
      else if (found.name !== undefined || found.color !== undefined) setErrors(found);
      else {
        const again = { label: words.tryAgain, onPress: () => void save() };
        // A limit of the plan, for instance, does not pass by itself.
        sayFailed(words.notSaved(name), error, isPassing ? again : undefined);
      }
    }
  }

  return (
    <form
      className={css.form}
      aria-label={label === undefined ? words[kind].make : words.renameOf(label.name)}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (!isPending) void save();
      }}
    >
      <TextField
        label={words.name}
        value={name}
        onChange={setName}
        error={errors.name}
        autoFocus={!keepsName}
        isMarkedOnFocus
        isRequired
        isDisabled={keepsName}
        {...(keepsName ? { hint: words.keepsName } : {})}
      />
      <div className={css.color}>
        <Swatch color={color} />
        <Select<ColorName | 'other'>
          label={words.color}
          value={isOwn ? 'other' : (nameOfColor(color) ?? 'other')}
          onChange={(next) => {
            setOwn(next === 'other');
            if (next !== 'other') setColor(namedColors[next]);
          }}
          error={errors.color}
          choices={[
            ...colorNames.map((id) => ({ id, label: words.colors[id] })),
            { id: 'other' as const, label: words.otherColor },
          ]}
        />
        {isOwn && <TextField label={words.ownColor} type="color" value={color} onChange={setColor} />}
      </div>
      <div className={css.formEnd}>
        <Button type="submit" variant="primary" isPending={isPending} isDisabled={name.trim() === ''}>
          {ui.save}
        </Button>
        <Button variant="plain" onPress={onClose}>
          {ui.cancel}
        </Button>
      </div>
    </form>
  );
}
