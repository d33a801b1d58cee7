import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { ApiError, issuesByPath } from '#console/api/error.ts';
import { resetPassword, sessionQuery } from '#console/api/session.ts';
import type { Session } from '#console/api/types.ts';
import { useAppWords } from '#console/app/words.ts';
import { useResetWords } from './words.ts';
import { Button, IconButton } from '#console/ui/button.tsx';
import { TextField } from '#console/ui/field.tsx';
import { sayDone } from '#console/ui/messages.tsx';
import { Notice } from '#console/ui/states.tsx';
import { LateSecondStep, stepOf } from './form.tsx';
import { CardPage } from './page.tsx';
import { readToken } from './token.ts';
import css from './sign-in.module.css';

/** /reset#token=…: sets a new password by the link of a mail, and signs in. */
export function ResetPage() {
  const words = useResetWords();
  const { signIn } = useAppWords();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [token] = useState(() => readToken(location.hash));
  const [newPassword, setNewPassword] = useState('');
  const [isShown, setShown] = useState(false);
  const [isPending, setPending] = useState(false);
  const [issues, setIssues] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<string>();
  const [step, setStep] = useState<ReturnType<typeof stepOf>>();
  const isEnded = token === undefined || issues.token !== undefined;

  // The token would stay in the history of the browser.
  useEffect(() => history.replaceState(history.state, '', location.pathname), []);

  async function enter(session: Session): Promise<void> {
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
      if (Object.keys(found).length === 0) setProblem(error instanceof Error ? error.message : String(error));
      setPending(false);
    }
  }

  return (
    <CardPage title={words.resetTitle}>
      {step !== undefined ? (
        <LateSecondStep {...step} onSignedIn={(session) => void enter(session)} />
      ) : isEnded ? (
        <>
          <div role="alert">
            <Notice tone="bad" icon="warning">
              {words.ended}
            </Notice>
          </div>
          <Link to="/forgot">{words.askAgain}</Link>
        </>
      ) : (
        <form className={css.form} onSubmit={(event) => void submit(event)}>
          {problem !== undefined && (
            <div role="alert">
              <Notice tone="bad" icon="warning">
                {problem}
              </Notice>
            </div>
          )}
          <TextField
            label={words.newPassword}
            hint={words.hint}
            type={isShown ? 'text' : 'password'}
            name="new-password"
            autoComplete="new-password"
            value={newPassword}
            onChange={setNewPassword}
            error={issues.newPassword}
            autoFocus
            isRequired
            after={
              <IconButton
                icon="eye"
                size="small"
                label={isShown ? signIn.hide : signIn.show}
                onPress={() => setShown(!isShown)}
              />
            }
          />
          <Button type="submit" variant="primary" isDisabled={isPending}>
            {words.save}
          </Button>
        </form>
      )}
    </CardPage>
  );
}
