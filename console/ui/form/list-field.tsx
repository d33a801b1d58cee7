import { type RefObject, useCallback, useContext, useEffect, useRef, useState } from 'react';
import {
  Button as AriaButton,
  ComboBox as AriaComboBox,
  ComboBoxStateContext,
  Group,
  Input,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
  Text,
  useFilter,
} from 'react-aria-components';
import { useUiWords } from '#console/i18n/ui.ts';
import { IconButton } from '#console/ui/button.tsx';
import { Icon } from '#console/ui/icon.tsx';
import { Above, Below, type FieldProps } from './field.tsx';
import css from './field.module.css';

export interface Choice {
  id: string;
  label: string;
  /** Stands at the end of the line. */
  detail?: string;
  /** What a field has for a text once the line is chosen. Default: the label. */
  text?: string;
}

interface SelectProps<Id extends string> extends FieldProps {
  value: Id;
  onChange: (value: Id) => void;
  choices: readonly (Choice & { id: Id })[];
}

/** One choice of a short list. */
export function Select<Id extends string>(props: SelectProps<Id>) {
  const { label, isLabelHidden = false, refusal, hint, error, value, onChange, choices } = props;
  const { isDisabled = refusal !== undefined } = props;
  return (
    <AriaSelect
      value={value}
      onChange={(key) => key !== null && onChange(key as Id)}
      isInvalid={error !== undefined}
      isDisabled={isDisabled}
      // The chosen one is not among the choices: they are being read.
      placeholder="…"
      validationBehavior="aria"
      className={css.field}
    >
      <Above label={label} isLabelHidden={isLabelHidden} />
      <AriaButton className={isLabelHidden ? `${css.select} ${css.search}` : css.select}>
        <SelectValue className="clip" />
        <Icon name="chevronDown" size={16} />
      </AriaButton>
      <Below hint={refusal ?? hint} error={error} />
      <Popover className={css.popover}>
        <Options choices={choices} />
      </Popover>
    </AriaSelect>
  );
}

interface ComboBoxProps extends FieldProps {
  text: string;
  onText: (text: string) => void;
  /** Called with the id of the chosen line, whose label is the text by then; null: the text that was typed is none of them. */
  onChoose?: (id: string | null) => void;
  /** Id of the chosen line. Default: the one that was chosen, until another text is typed. */
  chosen?: string | null;
  choices: readonly Choice[];
  placeholder?: string;
  autoFocus?: boolean;
  /** Called by Enter while no line of the list is marked; without it Enter closes the list. */
  onEnter?: () => void;
}

/** One choice of a long list, found by typing; other texts are allowed. */
export function ComboBox(props: ComboBoxProps) {
  const { label, isLabelHidden, refusal, hint, error, text, onText, onChoose, choices } = props;
  const { placeholder, isDisabled = refusal !== undefined, autoFocus = false, onEnter } = props;
  const { open } = useUiWords();
  const [picked, setPicked] = useState<{ id: string; text: string }>();
  const { chosen = picked?.text === text ? picked.id : null } = props;
  const [typed, setTyped] = useState<string>();
  const { contains } = useFilter({ sensitivity: 'base' });
  const isFound = useCallback(
    (line: string, sought: string) => sought !== typed || contains(line, sought),
    [typed, contains],
  );
  const isWanted = useRef(false);
  return (
    <AriaComboBox
      allowsCustomValue
      autoFocus={autoFocus}
      // The focus that a page gives is no question for the list, which would hide the button or the message below.
      menuTrigger={autoFocus || error !== undefined ? 'input' : 'focus'}
      // A text that the page gives, such as the primary domain once it is read, is no search.
      defaultFilter={isFound}
      inputValue={text}
      onInputChange={(value) => {
        setTyped(value);
        onText(value);
      }}
      value={chosen}
      onChange={(key) => {
        const choice = choices.find(({ id }) => id === key);
        // The library leaves the text to the page, which gives it the chosen line too.
        if (choice !== undefined) {
          const { id, label, text: chosenText = label } = choice;
          setPicked({ id, text: chosenText });
          onText(chosenText);
        }
        onChoose?.(choice?.id ?? null);
      }}
      isInvalid={error !== undefined}
      isDisabled={isDisabled}
      validationBehavior="aria"
      className={css.field}
    >
      <Above label={label} isLabelHidden={isLabelHidden} />
      <Group
        className={css.box}
        onKeyDownCapture={(event) => {
          isWanted.current = event.key === 'ArrowDown' && choices.length === 0;
          const isMarked = event.target instanceof Element && event.target.hasAttribute('aria-activedescendant');
          if (onEnter === undefined || event.key !== 'Enter' || event.ctrlKey || event.metaKey || isMarked) return;
          event.preventDefault();
          event.stopPropagation();
          onEnter();
        }}
      >
        <Input placeholder={placeholder} />
        <IconButton icon="chevronDown" size="small" label={open} />
      </Group>
      <Below hint={refusal ?? hint} error={error} />
      <OpenWhenFound
        count={choices.length}
        isChosen={chosen !== null}
        isQuiet={autoFocus && text === ''}
        isWanted={isWanted}
      />
      <Popover className={css.popover}>
        <Options choices={bestFirst(choices, text)} />
      </Popover>
    </AriaComboBox>
  );
}

/**
 * Sorts found choices: first those whose label begins with the text, then the others, so that "ger" shows Germany before Algeria. Within
 * both groups the order stays.
 */
export function bestFirst<One extends { label: string }>(choices: readonly One[], text: string): readonly One[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return choices;
  const begins = (choice: One): boolean => choice.label.toLowerCase().startsWith(wanted);
  return [...choices.filter(begins), ...choices.filter((choice) => !begins(choice))];
}

interface OpenWhenFoundProps {
  count: number;
  isChosen: boolean;
  isQuiet: boolean;
  /** Whether the last key asked for the list, which had no lines yet. */
  isWanted: RefObject<boolean>;
}

/**
 * Opens the list where its first choices come after the focus, the text, or the key that opens it and goes to its first line: the library
 * does so only with its own events.
 */
function OpenWhenFound({ count, isChosen, isQuiet, isWanted }: OpenWhenFoundProps) {
  const state = useContext(ComboBoxStateContext);
  const latest = useRef(state);
  const before = useRef<number>(undefined);
  useEffect(() => void (latest.current = state));
  useEffect(() => {
    // A field that has the focus as it appears.
    const isFirst = before.current === undefined;
    const hadNone = isFirst || before.current === 0;
    before.current = count;
    if (!hadNone || count === 0) return undefined;
    if (!isWanted.current && (isQuiet || (isChosen && !isFirst))) return undefined;
    // The library has taken the choices over by then.
    const timer = setTimeout(() => {
      if (latest.current?.isFocused !== true || latest.current.isOpen) return;
      latest.current.open(isWanted.current ? 'first' : null, 'input');
    });
    return () => clearTimeout(timer);
  }, [count, isChosen, isQuiet, isWanted]);
  return null;
}

function Options({ choices }: { choices: readonly Choice[] }) {
  return (
    <ListBox className={css.list} items={choices}>
      {({ id, label, detail }) => (
        <ListBoxItem id={id} textValue={label} className={css.option}>
          <Text slot="label">{label}</Text>
          {detail !== undefined && <span className={css.optionDetail}>{detail}</span>}
        </ListBoxItem>
      )}
    </ListBox>
  );
}
