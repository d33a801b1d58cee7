import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { membersQuery, transferOwnership } from '#console/api/organization.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { Button } from '#console/ui/button.tsx';
import { Confirm } from '#console/ui/form/form-dialog.tsx';
import { Select } from '#console/ui/form/field.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { useOwnershipWords } from './ownership-words.ts';
import layout from '#console/ui/page/layout.module.css';
import { useChange } from '#console/ui/form/use-change.ts';

/** Hands the ownership on, for owners. */
export function Transfer() {
  const words = useOwnershipWords();
  const { user, organization } = useSession();
  const { data } = useQuery(membersQuery());
  const [chosen, setChosen] = useState('');
  const [isAsking, setAsking] = useState(false);
  const others = (data?.data ?? []).filter(({ id }) => id !== user.id);
  const name = others.find(({ id }) => id === chosen)?.name ?? '';
  const close = (): void => {
    setAsking(false);
    setChosen('');
  };
  const transfer = useChange({
    send: () => transferOwnership(chosen),
    done: words.transferred(name),
    failed: words.notTransferred,
    refresh: [['organization', 'members'], ['session']],
    onDone: close,
    onFailed: close,
  });
  if (organization.role !== 'owner' || data === undefined) return null;
  return (
    <Panel title={words.transfer}>
      <p className="quiet">{others.length === 0 ? words.noOther : words.transferHint}</p>
      {others.length > 0 && (
        <div className={layout.form}>
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
          onClose={() => setAsking(false)}
          submitLabel={words.transferNow}
          isDanger
          isPending={transfer.isPending}
          onSubmit={() => transfer.send()}
        >
          <p>{words.transferText}</p>
        </Confirm>
      )}
    </Panel>
  );
}
