import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeName, changePassword } from '#console/api/account.ts';
import { issuesByPath } from '#console/api/error.ts';
import { sessionQuery } from '#console/api/session.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { Button } from '#console/ui/button.tsx';
import { TextField } from '#console/ui/field.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { SettingsFrame } from './frame.tsx';
import { useSettingsWords } from './words.ts';
import css from './settings.module.css';

/** /settings/you */
export function YouPage() {
  return (
    <SettingsFrame page="you">
      <Name />
      <Password />
    </SettingsFrame>
  );
}

function Name() {
  const words = useSettingsWords();
  const queries = useQueryClient();
  const { user } = useSession();
  const [name, setName] = useState(user.name);
  const change = useMutation({
    mutationFn: () => changeName(name.trim()),
    onSuccess: async () => {
      sayDone(words.saved);
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
    onError: (error) => {
      if (issuesByPath(error).name === undefined) sayFailed(words.notSaved, error);
    },
  });
  return (
    <section className={css.panel} aria-label={words.you}>
      <h2>{user.email}</h2>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        <TextField
          label={words.name}
          hint={words.nameHint}
          value={name}
          onChange={setName}
          autoComplete="name"
          error={change.error === null ? undefined : issuesByPath(change.error).name}
        />
        <Button type="submit" isPending={change.isPending} isDisabled={name.trim() === user.name}>
          {words.save}
        </Button>
      </form>
    </section>
  );
}

function Password() {
  const words = useSettingsWords();
  const queries = useQueryClient();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useMutation({
    mutationFn: () => changePassword({ current, next }),
    onSuccess: async () => {
      sayDone(words.changed);
      setCurrent('');
      setNext('');
      await queries.invalidateQueries({ queryKey: ['account'] });
    },
    onError: (error) => {
      if (Object.keys(issuesByPath(error)).length === 0) sayFailed(words.notChanged, error);
    },
  });
  const issues = change.error === null ? {} : issuesByPath(change.error);
  return (
    <section className={css.panel} aria-label={words.password}>
      <h2>{words.password}</h2>
      <form
        className={css.form}
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        <TextField
          label={words.current}
          type="password"
          autoComplete="current-password"
          value={current}
          onChange={setCurrent}
          error={issues.current}
        />
        <TextField
          label={words.next}
          hint={words.passwordHint}
          type="password"
          autoComplete="new-password"
          value={next}
          onChange={setNext}
          error={issues.next}
        />
        <Button type="submit" isPending={change.isPending} isDisabled={current === '' || next === ''}>
          {words.change}
        </Button>
      </form>
    </section>
  );
}
