import { useState } from 'react';
import { lengths } from '#core/lengths.ts';
import { useSecurityWords } from './words.ts';
import { FormDialog } from '#console/ui/form/form-dialog.tsx';
import { TextField } from '#console/ui/form/field.tsx';

interface NameDialogProps {
  name: string;
  /** Whether the passkey is made afterwards, by the browser. */
  isNew: boolean;
  isPending: boolean;
  onClose: () => void;
  onName: (name: string) => void;
}

/** Asks for the name of a passkey. */
export function NameDialog({ name: given, isNew, isPending, onClose, onName }: NameDialogProps) {
  const words = useSecurityWords();
  const [name, setName] = useState(given);
  return (
    <FormDialog
      title={isNew ? words.addPasskey : words.renameOf(given)}
      onClose={onClose}
      submitLabel={isNew ? words.add : words.save}
      isReady={name.trim() !== ''}
      isPending={isPending}
      onSubmit={() => onName(name.trim())}
    >
      <TextField
        label={words.passkeyName}
        hint={words.passkeyNameHint}
        value={name}
        onChange={setName}
        maxLength={lengths.passkeyName}
        autoFocus
        isRequired
      />
    </FormDialog>
  );
}
