import { type ReactNode, type RefObject, useContext, useEffect, useId, useRef, useState } from 'react';
import {
  Button as AriaButton,
  Checkbox as AriaCheckbox,
  type CheckboxProps as AriaCheckboxProps,
  ComboBox as AriaComboBox,
  ComboBoxStateContext,
  FieldError,
  Group,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
  Switch as AriaSwitch,
  type SwitchProps as AriaSwitchProps,
  Text,
  TextArea as AriaTextArea,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
} from 'react-aria-components';
import { useUiWords } from '#console/i18n/ui.ts';
import { IconButton } from '#console/ui/button.tsx';
import { Icon } from '#console/ui/icon.tsx';
import css from './field.module.css';

interface FieldProps {
  label: string;
  /** Whether the label is for screen readers alone, because the place says it. */
  isLabelHidden?: boolean;
  /** Stands below the field. */
  hint?: ReactNode;
  /** Why the field is disabled, in place of the hint; undefined: it is not. */
  refusal?: string | undefined;
  /** What is wrong with the value; undefined: nothing. */
  error?: string | undefined;
  isDisabled?: boolean;
}

function Above({ label, isLabelHidden }: Pick<FieldProps, 'label' | 'isLabelHidden'>) {
  return <Label className={isLabelHidden === true ? 'visually-hidden' : css.label}>{label}</Label>;
}

function Below({ hint, error }: Pick<FieldProps, 'hint' | 'error'>) {
  return (
    <>
      {hint !== undefined && (
        <Text slot="description" className="quiet small">
          {hint}
        </Text>
      )}
      <FieldError className={css.error}>{error}</FieldError>
    </>
  );
}

type TextProps = 'onBlur' | 'onPaste' | 'type' | 'name' | 'autoComplete' | 'autoFocus' | 'isRequired' | 'maxLength';

interface TextFieldProps extends FieldProps, Pick<AriaTextFieldProps, TextProps | 'inputMode'> {
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  /** Whether a focus marks the text, so that typing replaces it. */
  isMarkedOnFocus?: boolean;
  /** Stands inside the field, after the text. */
  after?: ReactNode;
  /** Stands inside the field, before the text. */
  before?: ReactNode;
  isMono?: boolean;
}

/** One line of text. */
export function TextField(props: TextFieldProps) {
  const {
    label,
    isLabelHidden = false,
    refusal,
    hint,
    error,
    isDisabled = refusal !== undefined,
    placeholder,
    after,
    before,
    isMono,
    isMarkedOnFocus = false,
    ...rest
  } = props;
  const input = (
    <Input
      className={after === undefined && before === undefined ? css.input! : ''}
      placeholder={placeholder}
      spellCheck={isMono === true ? false : undefined}
      onFocus={isMarkedOnFocus ? ({ target }) => target.select() : undefined}
    />
  );
  return (
    <AriaTextField
      {...rest}
      isDisabled={isDisabled}
      isInvalid={error !== undefined}
      validationBehavior="aria"
      className={css.field}
    >
      <Above label={label} isLabelHidden={isLabelHidden} />
      {after === undefined && before === undefined ? (
        input
      ) : (
        <Group className={css.box}>
          {before}
          {input}
          {after}
        </Group>
      )}
      <Below hint={refusal ?? hint} error={error} />
    </AriaTextField>
  );
}

interface TextAreaProps extends Omit<FieldProps, 'refusal'> {
  value: string;
  onChange: (value: string) => void;
  rows?: number;
  maxLength?: number;
  placeholder?: string;
  autoFocus?: boolean;
}

/** Several lines of text. */
export function TextArea({ label, isLabelHidden = false, hint, error, rows = 3, placeholder, ...rest }: TextAreaProps) {
  return (
    <AriaTextField {...rest} isInvalid={error !== undefined} validationBehavior="aria" className={css.field}>
      <Above label={label} isLabelHidden={isLabelHidden} />
      <AriaTextArea rows={rows} className={`${css.input} ${css.area}`} placeholder={placeholder} />
      <Below hint={hint} error={error} />
    </AriaTextField>
  );
}

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
  openLabel: string;
  autoFocus?: boolean;
  /** Called by Enter while no line of the list is marked; without it Enter closes the list. */
  onEnter?: () => void;
}

/** One choice of a long list, found by typing; other texts are allowed. */
export function ComboBox(props: ComboBoxProps) {
  const { label, isLabelHidden, refusal, hint, error, text, onText, onChoose, choices } = props;
  const { placeholder, openLabel, isDisabled = refusal !== undefined, autoFocus = false, onEnter } = props;
  const [picked, setPicked] = useState<{ id: string; text: string }>();
  const { chosen = picked?.text === text ? picked.id : null } = props;
  const isWanted = useRef(false);
  return (
    <AriaComboBox
      allowsCustomValue
      autoFocus={autoFocus}
      // The focus that a page gives is no question for the list, which would hide the button or the message below.
      menuTrigger={autoFocus || error !== undefined ? 'input' : 'focus'}
      inputValue={text}
      onInputChange={onText}
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
        <IconButton icon="chevronDown" size="small" label={openLabel} />
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

type WithText<Props> = Omit<Props, 'children' | 'className'> & { children?: ReactNode };

/** A box to tick. */
export function Checkbox({ children, ...rest }: WithText<AriaCheckboxProps>) {
  return (
    <AriaCheckbox {...rest} className={css.check}>
      {({ isSelected, isIndeterminate }) => (
        <>
          <span className={css.tick}>
            {isIndeterminate ? <Icon name="minus" size={14} /> : isSelected ? <Icon name="check" size={14} /> : null}
          </span>
          {children}
        </>
      )}
    </AriaCheckbox>
  );
}

interface SwitchProps extends WithText<AriaSwitchProps> {
  /** Why the switch is disabled, shown below; undefined: it is not. */
  refusal?: string | undefined;
}

/** A setting that is on or off, and takes effect at once or with the form. */
export function Switch({ children, refusal, isDisabled = refusal !== undefined, ...rest }: SwitchProps) {
  const id = useId();
  return (
    <>
      <AriaSwitch
        {...rest}
        isDisabled={isDisabled}
        aria-describedby={refusal === undefined ? undefined : id}
        className={css.switch}
      >
        <span className={css.track} />
        {children}
      </AriaSwitch>
      {refusal !== undefined && (
        <p id={id} className="quiet small">
          {refusal}
        </p>
      )}
    </>
  );
}

interface PasswordFieldProps extends Pick<
  TextFieldProps,
  'label' | 'hint' | 'error' | 'value' | 'onChange' | 'autoFocus'
> {
  name: string;
  autoComplete: 'current-password' | 'new-password';
}

/** A password, which a button shows. */
export function PasswordField(props: PasswordFieldProps) {
  const words = useUiWords();
  const [isShown, setShown] = useState(false);
  return (
    <TextField
      {...props}
      type={isShown ? 'text' : 'password'}
      isRequired
      after={
        <IconButton
          icon="eye"
          size="small"
          label={isShown ? words.hidePassword : words.showPassword}
          onPress={() => setShown(!isShown)}
        />
      }
    />
  );
}
