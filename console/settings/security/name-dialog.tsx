import { useState } from 'react';
import { Button } from '#console/ui/button.tsx';
import { Dialog } from '#console/ui/dialog.tsx';
import { TextField } from '#console/ui/field.tsx';
import settings from '#console/settings/settings.module.css';
import { useSecurityWords } from './words.ts';

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
    <Dialog title={isNew ? words.addPasskey : words.renameOf(given)} isOpen onClose={onClose}>
      <form
        className={settings.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== '') onName(name.trim());
        }}
      >
        <TextField
          label={words.passkeyName}
          hint={words.passkeyNameHint}
          value={name}
          onChange={setName}
          maxLength={60}
          autoFocus
          isRequired
        />
        <Button type="submit" variant="primary" isDisabled={isPending || name.trim() === ''}>
          {isNew ? words.add : words.save}
        </Button>
      </form>
    </Dialog>
  );
}
