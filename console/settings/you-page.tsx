import { useState } from 'react';
import { changeName, changePassword } from '#console/api/people/account.ts';
import { SettingsFrame } from './frame.tsx';
import { useSettingsWords } from './words.ts';
import { Button } from '#console/ui/button.tsx';
import { Form, useTexts } from '#console/ui/form/form.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import { sessionQuery } from '#console/api/people/session.ts';
import { useChange } from '#console/ui/form/use-change.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';

/** /settings/you */
export default function YouPage() {
  return (
    <SettingsFrame page="you">
      <Name />
      <Password />
    </SettingsFrame>
  );
}

function Name() {
  const words = useSettingsWords();
  const { user } = useSession();
  const [name, setName] = useState(user.name);
  const change = useChange({
    send: () => changeName(name.trim()),
    done: words.saved,
    failed: words.notSaved,
    fields: ['name'],
    refresh: [sessionQuery.queryKey],
  });
  return (
    <Panel title={words.you} heading={user.email}>
      <Form isReady onSubmit={change.send}>
        <TextField
          label={words.name}
          hint={words.nameHint}
          value={name}
          onChange={setName}
          autoComplete="name"
          error={change.issues.name}
        />
        <Button type="submit" isPending={change.isPending} isDisabled={name.trim() === user.name}>
          {words.save}
        </Button>
      </Form>
    </Panel>
  );
}

function Password() {
  const words = useSettingsWords();
  const none = { current: '', next: '' };
  const { texts, setTexts, field } = useTexts(none);
  const change = useChange({
    send: () => changePassword(texts),
    done: words.changed,
    failed: words.notChanged,
    fields: ['current', 'next'],
    refresh: [['account']],
    onDone: () => setTexts(none),
  });
  return (
    <Panel title={words.password}>
      <Form isReady onSubmit={change.send}>
        <TextField
          label={words.current}
          {...field('current', change.issues)}
          type="password"
          autoComplete="current-password"
        />
        <TextField
          label={words.next}
          {...field('next', change.issues)}
          hint={words.passwordHint}
          type="password"
          autoComplete="new-password"
        />
        <Button type="submit" isPending={change.isPending} isDisabled={texts.current === '' || texts.next === ''}>
          {words.change}
        </Button>
      </Form>
    </Panel>
  );
}
