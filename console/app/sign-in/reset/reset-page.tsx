import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ApiError, issuesByPath, messageOf } from '#console/api/error.ts';
import { resetPassword, sessionQuery } from '#console/api/people/session.ts';
import type { Session } from '#console/api/types.ts';
import { useResetWords } from '#console/app/sign-in/words.ts';
import { Button } from '#console/ui/button.tsx';
import { PasswordField } from '#console/ui/form/field.tsx';
import { sayDone } from '#console/ui/messages.tsx';
import { Alert } from '#console/ui/page/states.tsx';
import { LateSecondStep, stepOf } from '#console/app/sign-in/form.tsx';
import { CardPage } from '#console/app/sign-in/page.tsx';
import { forgetToken, takeToken } from '#console/app/sign-in/token.ts';
import css from '#console/app/sign-in/sign-in.module.css';

/** /reset#token=…: sets a new password by the link of a mail, and signs in. */
export function ResetPage() {
  const words = useResetWords();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [token] = useState(takeToken);
  const [newPassword, setNewPassword] = useState('');
  const [isPending, setPending] = useState(false);
  const [issues, setIssues] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<string>();
  const [step, setStep] = useState<ReturnType<typeof stepOf>>();
  const isEnded = token === undefined || issues.token !== undefined;

  async function enter(session: Session): Promise<void> {
    forgetToken();
    queries.clear();
    queries.setQueryData(sessionQuery.queryKey, session);
    sayDone(words.done);
    await navigate({ to: '/links', replace: true });
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setPending(true);
    setProblem(undefined);
    setIssues({});
    try {
      await enter(await resetPassword({ token: token ?? '', newPassword }));
    } catch (error) {
      const needed = stepOf(error);
      // The password is set.
      if (needed !== undefined) return setStep(needed);
      const found = error instanceof ApiError ? issuesByPath(error) : {};
      setIssues(found);
      if (Object.keys(found).length === 0) setProblem(messageOf(error));
      setPending(false);
    }
  }

  return (
    <CardPage title={words.resetTitle}>
      {step !== undefined ? (
        <LateSecondStep {...step} onSignedIn={(session) => void enter(session)} />
      ) : isEnded ? (
        <>
          <Alert text={words.ended} />
          <Link to="/forgot">{words.askAgain}</Link>
        </>
      ) : (
        <form className={css.form} onSubmit={(event) => void submit(event)}>
          <Alert text={problem} />
          <PasswordField
            label={words.newPassword}
            hint={words.hint}
            name="new-password"
            autoComplete="new-password"
            value={newPassword}
            onChange={setNewPassword}
            error={issues.newPassword}
            autoFocus
          />
          <Button type="submit" variant="primary" isDisabled={isPending}>
            {words.save}
          </Button>
        </form>
      )}
    </CardPage>
  );
}
