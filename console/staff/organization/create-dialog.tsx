import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Plan } from '#core/organizations/plans.ts';
import { issuesByPath } from '#console/api/error.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { useChange } from '#console/staff/use-change.ts';
import { useStaffWords } from '#console/staff/words.ts';
import { Button } from '#console/ui/button.tsx';
import { Dialog } from '#console/ui/dialog.tsx';
import { Select, TextField } from '#console/ui/field.tsx';
import css from '#console/staff/staff.module.css';

/** Creates an organization with its owner. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const words = useStaffWords();
  const ui = useUiWords();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [plan, setPlan] = useState<Plan>('premium');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const create = useChange('organizations.create', words.organizationMade(name.trim()), ({ id }) => {
    onClose();
    void navigate({ to: '/staff/organizations/$id', params: { id }, search: {} });
  });
  const issues = issuesByPath(create.error);
  const isReady = name.trim() !== '' && email.trim() !== '' && !create.isPending;
  const submit = (): void => {
    if (!isReady) return;
    create.mutate({ name, plan, ownerEmail: email, ...(password !== '' && { ownerPassword: password }) });
  };
  return (
    <Dialog
      title={words.newOrganization}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button variant="plain" onPress={onClose}>
            {ui.cancel}
          </Button>
          <Button variant="primary" isDisabled={!isReady} onPress={submit}>
            {words.create}
          </Button>
        </>
      }
    >
      <form
        className={css.stack}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <TextField
          label={words.name}
          value={name}
          error={issues['name']}
          autoFocus
          maxLength={255}
          onChange={setName}
        />
        <Select
          label={words.plan}
          value={plan}
          onChange={setPlan}
          choices={[
            { id: 'free' as const, label: words.plans.free },
            { id: 'premium' as const, label: words.plans.premium },
          ]}
        />
        <TextField
          label={words.ownerEmail}
          type="email"
          value={email}
          error={issues['ownerEmail']}
          autoComplete="off"
          onChange={setEmail}
        />
        <TextField
          label={words.ownerPassword}
          hint={words.ownerPasswordHint}
          type="password"
          value={password}
          error={issues['ownerPassword']}
          autoComplete="new-password"
          onChange={setPassword}
        />
        <button type="submit" hidden>
          {words.create}
        </button>
      </form>
    </Dialog>
  );
}
