import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { deleteOrganization, type Organization } from '#console/api/organization.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { Confirm } from '#console/ui/dialog.tsx';
import { TextField } from '#console/ui/field.tsx';
import { sayFailed } from '#console/ui/messages.tsx';
import { useOwnershipWords } from './ownership-words.ts';
import css from './settings.module.css';

/** Deletes the organization, for owners who type its name. */
export function DeleteOrganization({ organization: { name, usage } }: { organization: Organization }) {
  const words = useOwnershipWords();
  const format = useFormat();
  const { organization } = useSession();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const [typed, setTyped] = useState('');
  const remove = useMutation({
    mutationFn: () => deleteOrganization(name),
    onSuccess: async ({ progressToken }) => {
      await navigate({ to: '/deleted', hash: `token=${progressToken}`, replace: true });
      queries.clear();
    },
    onError: (error) => {
      setAsking(false);
      sayFailed(words.notRemoved, error);
    },
  });
  const isOwner = organization.role === 'owner';
  const isConfirmed = typed.trim() === name.trim() && !remove.isPending;
  const links = words.links(usage.shortLinks, format.number(usage.shortLinks));
  const domains = words.domains(usage.domains, format.number(usage.domains));
  return (
    <section className={css.panel} aria-label={words.remove}>
      <h2>{words.remove}</h2>
      <p className="quiet">{isOwner ? words.removeHint : words.onlyOwners}</p>
      <div>
        <Button
          variant="danger"
          icon="trash"
          isDisabled={!isOwner}
          onPress={() => {
            setTyped('');
            setAsking(true);
          }}
        >
          {words.remove}
        </Button>
      </div>
      {isAsking && (
        <Confirm
          title={words.removeTitle(name)}
          isOpen
          onClose={() => setAsking(false)}
          confirmLabel={words.removeNow}
          isDanger
          isConfirmDisabled={!isConfirmed}
          onConfirm={() => remove.mutate()}
        >
          <p>{words.lost(links, domains)}</p>
          <TextField label={words.typeName(name)} value={typed} onChange={setTyped} autoComplete="off" autoFocus />
        </Confirm>
      )}
    </section>
  );
}
