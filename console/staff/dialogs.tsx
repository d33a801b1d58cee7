import { useState } from 'react';
import { lengths } from '#core/lengths.ts';
import { useStaffWords } from './words.ts';
import { Confirm } from '#console/ui/form/form-dialog.tsx';
import { TextField } from '#console/ui/form/field.tsx';

interface ReasonDialogProps {
  title: string;
  text: string;
  submitLabel: string;
  isPending: boolean;
  isDanger?: boolean;
  onReason: (reason: string) => void;
  onClose: () => void;
}

/** Asks for the reason of something that the organization reads. */
export function ReasonDialog({ text, onReason, ...rest }: ReasonDialogProps) {
  const [reason, setReason] = useState('');
  return (
    <Confirm {...rest} isReady={reason.trim() !== ''} onSubmit={() => onReason(reason.trim())}>
      <p>{text}</p>
      <ReasonField value={reason} onChange={setReason} />
    </Confirm>
  );
}

/** The reason that the organization reads. */
export function ReasonField({ value, onChange }: { value: string; onChange: (reason: string) => void }) {
  const words = useStaffWords();
  return (
    <TextField
      label={words.reason}
      hint={words.reasonHint}
      value={value}
      maxLength={lengths.staffReason}
      autoFocus
      onChange={onChange}
    />
  );
}
