import type { ReactNode } from 'react';
import { useKeys } from '#console/app/keys.ts';
import { Button } from '#console/ui/button.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import { Form } from '#console/ui/form/form.tsx';
import { useOrganizeWords } from './words.ts';
import layout from '#console/ui/page/layout.module.css';

interface RowFormProps {
  /** Read aloud. */
  label: string;
  className: string | undefined;
  name: string;
  onName: (name: string) => void;
  /** Says why the name cannot be changed. */
  keepsName?: string | undefined;
  save: { send: () => void; isPending: boolean; issues: Record<string, string> };
  onClose: () => void;
  /** Fields after the name. */
  children: ReactNode;
}

/** The form of a named thing in the place of its row. Escape closes it. */
export function RowForm({ label, className, name, onName, keepsName, save, onClose, children }: RowFormProps) {
  const words = useOrganizeWords();
  const isNamed = name.trim() !== '';
  useKeys({ Escape: onClose });
  return (
    <Form className={className} label={label} isReady={isNamed && !save.isPending} onSubmit={save.send}>
      <TextField
        label={words.name}
        value={name}
        onChange={onName}
        error={save.issues.name}
        autoFocus={keepsName === undefined}
        isMarkedOnFocus
        isRequired
        isDisabled={keepsName !== undefined}
        {...(keepsName === undefined ? {} : { hint: keepsName })}
      />
      {children}
      <div className={layout.actions}>
        <Button type="submit" variant="primary" isPending={save.isPending} isDisabled={!isNamed}>
          {words.save}
        </Button>
        <Button variant="plain" onPress={onClose}>
          {words.cancel}
        </Button>
      </div>
    </Form>
  );
}
