import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { resetPassword, sessionQuery } from '#console/api/people/session.ts';
import type { Session } from '#console/api/types.ts';
import { useResetWords } from '#console/app/sign-in/words.ts';
import { useCardForm } from '#console/app/factors/use-card-form.ts';
import { Button } from '#console/ui/button.tsx';
import { PasswordField } from '#console/ui/form/field.tsx';
import { Form } from '#console/ui/form/form.tsx';
import { sayDone } from '#console/ui/messages.tsx';
import { Alert } from '#console/ui/page/states.tsx';
import { LateSecondStep } from '#console/app/sign-in/form.tsx';
import { CardPage } from '#console/app/sign-in/page.tsx';
import { forgetToken, takeToken } from '#console/app/sign-in/token.ts';
import layout from '#console/ui/page/layout.module.css';

/** /reset#token=…: sets a new password by the link of a mail, and signs in. */
export default function ResetPage() {
  const words = useResetWords();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [token] = useState(takeToken);
  const [newPassword, setNewPassword] = useState('');
  const form = useCardForm(async () => enter(await resetPassword({ token: token ?? '', newPassword })));
  const isEnded = token === undefined || form.issues.token !== undefined;

  async function enter(session: Session): Promise<void> {
    forgetToken();
    queries.clear();
    queries.setQueryData(sessionQuery.queryKey, session);
    sayDone(words.done);
    await navigate({ to: '/links', replace: true });
  }

  return (
    <CardPage title={words.resetTitle}>
      {form.step !== undefined ? (
        // The password is set.
        <LateSecondStep {...form.step} onSignedIn={(session) => void enter(session)} />
      ) : isEnded ? (
        <>
          <Alert text={words.ended} />
          <Link to="/forgot">{words.askAgain}</Link>
        </>
      ) : (
        <Form className={layout.stack} isReady={!form.isSent} onSubmit={form.send}>
          <Alert text={form.problem} />
          <PasswordField
            label={words.newPassword}
            hint={words.hint}
            name="new-password"
            autoComplete="new-password"
            value={newPassword}
            onChange={setNewPassword}
            error={form.issues.newPassword}
            autoFocus
          />
          <Button type="submit" variant="primary" isDisabled={form.isSent}>
            {words.save}
          </Button>
        </Form>
      )}
    </CardPage>
  );
}
