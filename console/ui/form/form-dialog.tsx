import { type ReactNode, useId, useState } from 'react';
import { useIsHere } from '#console/ui/browser/use-is-here.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button, type ButtonProps } from '#console/ui/button.tsx';
import { Dialog } from '#console/ui/form/dialog.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import layout from '#console/ui/page/layout.module.css';
import { Form } from './form.tsx';
import { type ChangeOptions, useChange } from './use-change.ts';

interface FormDialogProps {
  title: string;
  onClose: () => void;
  /** What the button does, as a verb. */
  submitLabel: string;
  onSubmit: () => void;
  /** Whether what is needed is filled in. Default: true. */
  isReady?: boolean;
  isPending?: boolean;
  isWide?: boolean;
  /** Whether a click beside the dialog and Escape close it. Default: true. */
  isDismissable?: boolean;
  children: ReactNode;
}

interface ConfirmProps extends FormDialogProps {
  isDanger?: boolean;
  /** A gentler way. */
  instead?: { label: string; onPress: () => void };
}

/** Asks before a step of weight. The focus is on what harms least: Enter takes a step that can be undone, and leaves a danger. */
export function Confirm(props: ConfirmProps) {
  return <FormDialog role="alertdialog" {...props} />;
}

interface ConfirmChangeProps<Answer> extends Pick<ConfirmProps, 'title' | 'submitLabel' | 'onClose' | 'children'> {
  change: ChangeOptions<void, Answer>;
  /** Whether the change can be undone only by hand, if at all. Default: true. */
  isDanger?: boolean;
}

/** Asks before a change, and makes it. Closes when it is made, before `onDone`, and where it fails, unless there is an `onFailed`. */
export function ConfirmChange<Answer>({ change, onClose, isDanger = true, ...rest }: ConfirmChangeProps<Answer>) {
  const isHere = useIsHere();
  const { send, isPending } = useChange<void, Answer>({
    // The next question may be open already.
    onFailed: () => (isHere() ? onClose() : undefined),
    ...change,
    leave: onClose,
  });
  return <Confirm {...rest} isDanger={isDanger} onClose={onClose} isPending={isPending} onSubmit={send} />;
}

interface ConfirmButtonProps<Answer> extends Omit<ConfirmChangeProps<Answer>, 'onClose'> {
  button: Omit<ButtonProps, 'onPress'>;
}

/** A button that asks before it makes a change. */
export function ConfirmButton<Answer>({ button, ...question }: ConfirmButtonProps<Answer>) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button {...button} onPress={() => setAsking(true)} />
      {isAsking && <ConfirmChange {...question} onClose={() => setAsking(false)} />}
    </>
  );
}

interface ConfirmByNameProps extends ConfirmProps {
  name: string;
  /** Whether no other field is to be filled in before. Default: true. */
  isNameFirst?: boolean;
}

/** Asks before what hits many things or cannot be undone: the name of the thing is typed. */
export function ConfirmByName({ name, isNameFirst = true, children, ...rest }: ConfirmByNameProps) {
  const words = useUiWords();
  const [typed, setTyped] = useState('');
  return (
    <Confirm {...rest} isDanger isReady={(rest.isReady ?? true) && typed.trim() === name.trim()}>
      {children}
      <TextField
        label={words.typeName(name)}
        value={typed}
        onChange={setTyped}
        autoComplete="off"
        autoFocus={isNameFirst}
      />
    </Confirm>
  );
}

/** A dialog with fields. Enter sends them. */
export function FormDialog(props: ConfirmProps & { role?: 'dialog' | 'alertdialog' }) {
  const {
    submitLabel,
    onSubmit,
    isReady = true,
    isPending = false,
    isDanger = false,
    instead,
    children,
    ...dialog
  } = props;
  const words = useUiWords();
  const formId = useId();
  const canSubmit = isReady && !isPending;
  const isQuestion = props.role === 'alertdialog';
  return (
    <Dialog
      {...dialog}
      actions={
        <>
          <Button variant="plain" slot="close" autoFocus={isQuestion && isDanger && isReady}>
            {words.cancel}
          </Button>
          {instead !== undefined && (
            <Button onPress={instead.onPress} isPending={isPending}>
              {instead.label}
            </Button>
          )}
          <Button
            type="submit"
            form={formId}
            variant={isDanger ? 'danger' : 'primary'}
            // Not while the call is under way, when the form takes nothing: a disabled button loses the focus, and Escape with it.
            isDisabled={!isReady}
            autoFocus={isQuestion && !isDanger && isReady}
          >
            {submitLabel}
          </Button>
        </>
      }
    >
      <Form id={formId} className={layout.stack} isReady={canSubmit} onSubmit={onSubmit}>
        {children}
      </Form>
    </Dialog>
  );
}
