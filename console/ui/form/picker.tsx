import { type ReactNode, useState } from 'react';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button, IconButton } from '#console/ui/button.tsx';
import { type Choice, ComboBox } from './list-field.tsx';
import css from './field.module.css';
import layout from '#console/ui/page/layout.module.css';

interface PickerProps {
  label: string;
  hint: string;
  error: string | undefined;
  choices: readonly Choice[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
  /** Name of a chosen id, which may be none of the choices. */
  nameOf: (id: string) => string;
  /** The id that a typed text names; undefined: none. */
  read: (text: string) => string | undefined;
  /** Hears what is typed, where the choices are asked for by it. */
  onText?: (text: string) => void;
  /** What is read aloud of the button that removes a choice. Default: “Remove” and its name. */
  removeLabel?: (name: string) => string;
  /** Buttons that choose many at once. */
  shortcuts?: ReactNode;
}

/** Several choices of a long list: each is found by typing, and stands below the field until it is removed. */
export function Picker(props: PickerProps) {
  const ui = useUiWords();
  const { label, hint, error, choices, chosen, onChange, nameOf, read, onText, removeLabel = ui.removeItem } = props;
  const [text, setText] = useState('');
  const type = (typed: string): void => {
    setText(typed);
    onText?.(typed);
  };
  const add = (id: string | undefined): void => {
    if (id === undefined) return;
    if (!chosen.includes(id)) onChange([...chosen, id]);
    type('');
  };
  return (
    <div className={css.picker}>
      <ComboBox
        label={label}
        hint={hint}
        error={error}
        text={text}
        onText={type}
        chosen={null}
        onChoose={(id) => id !== null && add(id)}
        onEnter={text.trim() === '' ? undefined : () => add(read(text))}
        choices={choices.filter(({ id }) => !chosen.includes(id))}
      />
      {props.shortcuts}
      {chosen.length > 0 && (
        <ul className={`${layout.chosen} ${css.chosen}`}>
          {chosen.map((id) => (
            <li key={id}>
              {nameOf(id)}
              <IconButton
                icon="close"
                size="small"
                label={removeLabel(nameOf(id))}
                onPress={() => onChange(chosen.filter((one) => one !== id))}
              />
            </li>
          ))}
          {chosen.length > 3 && (
            <li className={css.all}>
              <Button size="small" variant="plain" onPress={() => onChange([])}>
                {ui.removeAll}
              </Button>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}
