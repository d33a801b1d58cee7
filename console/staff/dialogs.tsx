import { type ReactNode, useState } from 'react';
import { Confirm } from '#console/ui/dialog.tsx';
import { TextField } from '#console/ui/field.tsx';
import { useStaffWords } from './words.ts';
import css from './staff.module.css';

const longestReason = 500;

interface ReasonDialogProps {
  title: string;
  text: string;
  confirmLabel: string;
  isPending: boolean;
  isDanger?: boolean;
  onConfirm: (reason: string) => void;
  onClose: () => void;
}

/** Asks for the reason of something that the organization reads. */
export function ReasonDialog({
  title,
  text,
  confirmLabel,
  isPending,
  isDanger = false,
  onConfirm,
  onClose,
}: ReasonDialogProps) {
  const words = useStaffWords();
  const [reason, setReason] = useState('');
  const isReady = reason.trim() !== '' && !isPending;
  return (
    <Confirm
      title={title}
      isOpen
      onClose={onClose}
      confirmLabel={confirmLabel}
      isDanger={isDanger}
      isConfirmDisabled={!isReady}
      onConfirm={() => onConfirm(reason.trim())}
    >
      <form
        className={css.stack}
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) onConfirm(reason.trim());
        }}
      >
        <p>{text}</p>
        <TextField
          label={words.reason}
          hint={words.reasonHint}
          value={reason}
          maxLength={longestReason}
          autoFocus
          onChange={setReason}
        />
      </form>
    </Confirm>
  );
}

interface NameDialogProps {
  title: string;
  children: ReactNode;
  /** The name to be typed. */
  name: string;
  confirmLabel: string;
  isPending: boolean;
  onConfirm: () => void;
  onClose: () => void;
  /** Whether it is done as soon as the name is complete: for what can be undone. */
  isImmediate?: boolean;
}

/** Asks for a name to be typed, so that nothing happens to the wrong organization. */
export function NameDialog({
  title,
  children,
  name,
  confirmLabel,
  isPending,
  onConfirm,
  onClose,
  isImmediate = false,
}: NameDialogProps) {
  const words = useStaffWords();
  const [typed, setTyped] = useState('');
  const isSame = typed.trim() === name;
  return (
    <Confirm
      title={title}
      isOpen
      onClose={onClose}
      confirmLabel={confirmLabel}
      isDanger
      isConfirmDisabled={!isSame || isPending}
      onConfirm={onConfirm}
    >
      <form
        className={css.stack}
        onSubmit={(event) => {
          event.preventDefault();
          if (isSame && !isPending) onConfirm();
        }}
      >
        {children}
        <TextField
          label={words.typeName(name)}
          hint={isImmediate ? words.immediate : undefined}
          value={typed}
          autoFocus
          autoComplete="off"
          onChange={(next) => {
            setTyped(next);
            if (isImmediate && next === name && !isPending) onConfirm();
          }}
        />
      </form>
    </Confirm>
  );
}
