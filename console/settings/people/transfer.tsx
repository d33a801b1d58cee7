import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { type Member, membersQuery, transferOwnership } from '#console/api/organization.ts';
import { useOwnersRefusal } from '#console/app/can.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { Button } from '#console/ui/button.tsx';
import { ConfirmChange } from '#console/ui/form/form-dialog.tsx';
import { ComboBox } from '#console/ui/form/list-field.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { usePeopleWords } from './words.ts';
import layout from '#console/ui/page/layout.module.css';

/** Hands the ownership on, for owners; others read that they may not. */
export function Transfer() {
  const words = usePeopleWords();
  const refusal = useOwnersRefusal(words.onlyOwners);
  if (refusal === undefined) return <TransferForm />;
  return (
    <Panel title={words.transfer}>
      <p className="quiet">{words.transferHint}</p>
      <div>
        <Button refusal={refusal}>{words.transfer}</Button>
      </div>
    </Panel>
  );
}

function TransferForm() {
  const words = usePeopleWords();
  const { user, organization } = useSession();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<Member>();
  const wanted = chosen?.email ?? text.trim();
  const { data } = useQuery({ ...membersQuery(0, useDeferredValue(wanted)), placeholderData: keepPreviousData });
  const [isAsking, setAsking] = useState(false);
  const others = (data?.data ?? []).filter(({ id }) => id !== user.id);
  const name = chosen?.name ?? '';
  const close = (): void => {
    setAsking(false);
    setChosen(undefined);
    setText('');
  };
  if (data === undefined) return null;
  const isAlone = wanted === '' && others.length === 0;
  return (
    <Panel title={words.transfer}>
      <p className="quiet">{isAlone ? words.noOther : words.transferHint}</p>
      {!isAlone && (
        <div className={layout.form}>
          <ComboBox
            label={words.to}
            placeholder={words.choose}
            text={text}
            onText={(typed) => {
              setText(typed);
              if (typed !== labelOf(chosen)) setChosen(undefined);
            }}
            chosen={chosen?.id ?? null}
            onChoose={(id) => {
              setChosen(others.find((one) => one.id === id));
            }}
            error={text.trim() !== '' && chosen === undefined && others.length === 0 ? words.nobody : undefined}
            choices={others.map((person) => ({ id: person.id, label: labelOf(person) }))}
          />
          <Button isDisabled={chosen === undefined} onPress={() => setAsking(true)}>
            {words.transfer}
          </Button>
        </div>
      )}
      {isAsking && (
        <ConfirmChange
          title={words.transferTitle(name, organization.name)}
          onClose={() => setAsking(false)}
          submitLabel={words.transferNow}
          change={{
            send: () => transferOwnership(chosen?.id ?? ''),
            done: words.transferred(name),
            failed: words.notTransferred,
            refresh: [['organization', 'members'], ['session']],
            onDone: close,
            onFailed: close,
          }}
        >
          <p>{words.transferText}</p>
        </ConfirmChange>
      )}
    </Panel>
  );
}

function labelOf(person: Member | undefined): string {
  return person === undefined ? '' : `${person.name} (${person.email})`;
}
