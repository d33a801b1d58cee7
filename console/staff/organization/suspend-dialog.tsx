import { useState } from 'react';
import { TextField } from '#console/ui/field.tsx';
import { NameDialog } from '#console/staff/dialogs.tsx';
import { useChange } from '#console/staff/use-change.ts';
import { useStaffWords } from '#console/staff/words.ts';

const longestReason = 500;

/** Suspends an organization by typing its name: it can be resumed at any time. */
export function SuspendDialog({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const words = useStaffWords();
  const [reason, setReason] = useState('');
  const suspend = useChange('organizations.suspend', words.isSuspended(name), onClose);
  const given = reason.trim();
  return (
    <NameDialog
      title={words.suspendTitle(name)}
      name={name}
      confirmLabel={words.suspend}
      isPending={suspend.isPending}
      isImmediate
      onConfirm={() => suspend.mutate({ id, ...(given !== '' && { reason: given }) })}
      onClose={onClose}
    >
      <p>{words.suspendText}</p>
      <TextField
        label={words.optionalReason}
        hint={words.reasonHint}
        value={reason}
        maxLength={longestReason}
        onChange={setReason}
      />
    </NameDialog>
  );
}
