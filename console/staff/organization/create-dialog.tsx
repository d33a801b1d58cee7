import { useNavigate } from '@tanstack/react-router';
import { lengths } from '#core/lengths.ts';
import { useState } from 'react';
import { type Plan, planNames } from '#core/organizations/plans.ts';
import { useTool } from '#console/staff/use-tool.ts';
import { useStaffWords } from '#console/staff/words.ts';
import { TextField } from '#console/ui/form/field.tsx';
import { Select } from '#console/ui/form/list-field.tsx';
import { FormDialog } from '#console/ui/form/form-dialog.tsx';

/** Creates an organization with its owner. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const words = useStaffWords();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [plan, setPlan] = useState<Plan>('premium');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const create = useTool(
    'organizations.create',
    words.organizationMade(name.trim()),
    ({ id }) => {
      onClose();
      void navigate({ to: '/staff/organizations/$id', params: { id }, search: {} });
    },
    ['name', 'ownerEmail', 'ownerPassword'],
  );
  return (
    <FormDialog
      title={words.newOrganization}
      onClose={onClose}
      submitLabel={words.create}
      isReady={name.trim() !== '' && email.trim() !== ''}
      isPending={create.isPending}
      onSubmit={() =>
        create.send({ name, plan, ownerEmail: email, ...(password !== '' && { ownerPassword: password }) })
      }
    >
      <TextField
        label={words.name}
        value={name}
        error={create.issues.name}
        autoFocus
        maxLength={lengths.organizationName}
        onChange={setName}
      />
      <Select
        label={words.plan}
        value={plan}
        onChange={setPlan}
        choices={planNames.map((id) => ({ id, label: words.plans[id] }))}
      />
      <TextField
        label={words.ownerEmail}
        type="email"
        value={email}
        error={create.issues.ownerEmail}
        autoComplete="off"
        onChange={setEmail}
      />
      <TextField
        label={words.ownerPassword}
        hint={words.ownerPasswordHint}
        type="password"
        value={password}
        error={create.issues.ownerPassword}
        autoComplete="new-password"
        onChange={setPassword}
      />
    </FormDialog>
  );
}
