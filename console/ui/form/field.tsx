import { type ReactNode, useId, useState } from 'react';
import {
  Checkbox as AriaCheckbox,
  type CheckboxProps as AriaCheckboxProps,
  FieldError,
  Group,
  Input,
  Label,
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

export interface FieldProps {
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

export function Above({ label, isLabelHidden }: Pick<FieldProps, 'label' | 'isLabelHidden'>) {
  return <Label className={isLabelHidden === true ? 'visually-hidden' : css.label}>{label}</Label>;
}

export function Below({ hint, error }: Pick<FieldProps, 'hint' | 'error'>) {
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

export function TextArea({ label, isLabelHidden = false, hint, error, rows = 3, placeholder, ...rest }: TextAreaProps) {
  return (
    <AriaTextField {...rest} isInvalid={error !== undefined} validationBehavior="aria" className={css.field}>
      <Above label={label} isLabelHidden={isLabelHidden} />
      <AriaTextArea rows={rows} className={`${css.input} ${css.area}`} placeholder={placeholder} />
      <Below hint={hint} error={error} />
    </AriaTextField>
  );
}

type WithText<Props> = Omit<Props, 'children' | 'className'> & { children?: ReactNode };

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
