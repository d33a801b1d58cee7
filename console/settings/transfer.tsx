import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { membersQuery, transferOwnership } from '#console/api/organization.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { Button } from '#console/ui/button.tsx';
import { Confirm } from '#console/ui/dialog.tsx';
import { Select } from '#console/ui/field.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { useOwnershipWords } from './ownership-words.ts';
import css from './settings.module.css';

/** Hands the ownership on, for owners. */
export function Transfer() {
  const words = useOwnershipWords();
  const { user, organization } = useSession();
  const queries = useQueryClient();
  const { data } = useQuery(membersQuery());
  const [chosen, setChosen] = useState('');
  const [isAsking, setAsking] = useState(false);
  const others = (data?.data ?? []).filter(({ id }) => id !== user.id);
  const name = others.find(({ id }) => id === chosen)?.name ?? '';
  const transfer = useMutation({
    mutationFn: () => transferOwnership(chosen),
    onSuccess: () => sayDone(words.transferred(name)),
    onError: (error) => sayFailed(words.notTransferred, error),
    onSettled: async () => {
      setAsking(false);
      setChosen('');
      await queries.invalidateQueries({ queryKey: ['organization', 'members'] });
      await queries.invalidateQueries({ queryKey: ['session'] });
    },
  });
  if (organization.role !== 'owner' || data === undefined) return null;
  return (
    <section className={css.panel} aria-label={words.transfer}>
      <h2>{words.transfer}</h2>
      <p className="quiet">{others.length === 0 ? words.noOther : words.transferHint}</p>
      {others.length > 0 && (
        <div className={css.form}>
          <Select
            label={words.to}
            value={chosen}
            onChange={setChosen}
            choices={[
              { id: '', label: words.choose },
              ...others.map(({ id, name: called, email }) => ({ id, label: `${called} (${email})` })),
            ]}
          />
          <Button isDisabled={chosen === ''} onPress={() => setAsking(true)}>
            {words.transfer}
          </Button>
        </div>
      )}
      {isAsking && (
        <Confirm
          title={words.transferTitle(name, organization.name)}
          isOpen
          onClose={() => setAsking(false)}
          confirmLabel={words.transferNow}
          isDanger
          isConfirmDisabled={transfer.isPending}
          onConfirm={() => transfer.mutate()}
        >
          <p>{words.transferText}</p>
        </Confirm>
      )}
    </section>
  );
}
