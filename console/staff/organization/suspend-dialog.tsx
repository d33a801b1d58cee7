import { useState } from 'react';
import { ReasonField } from '#console/staff/dialogs.tsx';
import { useStaffWords } from '#console/staff/words.ts';
import { ConfirmByName } from '#console/ui/form/form-dialog.tsx';
import { useTool } from '#console/staff/use-tool.ts';

/** Suspends an organization, with the reason that it reads, once its name is typed. */
export function SuspendDialog({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const words = useStaffWords();
  const [reason, setReason] = useState('');
  const suspend = useTool('organizations.suspend', words.isSuspended(name), onClose);
  return (
    <ConfirmByName
      title={words.suspendTitle(name)}
      name={name}
      isNameFirst={false}
      submitLabel={words.suspend}
      isReady={reason.trim() !== ''}
      isPending={suspend.isPending}
      onSubmit={() => suspend.send({ id, reason: reason.trim() })}
      onClose={onClose}
    >
      <p>{words.suspendText}</p>
      <ReasonField value={reason} onChange={setReason} />
    </ConfirmByName>
  );
}
