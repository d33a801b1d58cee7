import { useNavigate } from '@tanstack/react-router';
import { lengths } from '#core/lengths.ts';
import { useState } from 'react';
import { type Plan, planNames } from '#core/organizations/plans.ts';
import { useTool } from '#console/staff/use-tool.ts';
import { useStaffWords } from '#console/staff/words.ts';
import { useIsHere } from '#console/ui/browser/use-is-here.ts';
import { TextField } from '#console/ui/form/field.tsx';
import { Select } from '#console/ui/form/list-field.tsx';
import { FormDialog } from '#console/ui/form/form-dialog.tsx';
import { useTexts } from '#console/ui/form/form.tsx';

/** Creates an organization with its owner. */
export function CreateDialog({ onClose }: { onClose: () => void }) {
  const words = useStaffWords();
  const navigate = useNavigate();
  const isHere = useIsHere();
  const [plan, setPlan] = useState<Plan>('premium');
  const { texts, field } = useTexts({ name: '', ownerEmail: '', ownerPassword: '' });
  const { name, ownerEmail, ownerPassword } = texts;
  const create = useTool(
    'organizations.create',
    words.organizationMade(name.trim()),
    ({ id }) => {
      if (!isHere()) return;
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
      isReady={name.trim() !== '' && ownerEmail.trim() !== ''}
      isPending={create.isPending}
      onSubmit={() => create.send({ name, plan, ownerEmail, ...(ownerPassword !== '' && { ownerPassword }) })}
    >
      <TextField label={words.name} {...field('name', create.issues)} autoFocus maxLength={lengths.organizationName} />
      <Select
        label={words.plan}
        value={plan}
        onChange={setPlan}
        choices={planNames.map((id) => ({ id, label: words.plans[id] }))}
      />
      <TextField label={words.ownerEmail} {...field('ownerEmail', create.issues)} type="email" autoComplete="off" />
      <TextField
        label={words.ownerPassword}
        {...field('ownerPassword', create.issues)}
        hint={words.ownerPasswordHint}
        type="password"
        autoComplete="new-password"
      />
    </FormDialog>
  );
}
