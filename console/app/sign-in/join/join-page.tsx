import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ApiError, issuesByPath, messageOf } from '#console/api/error.ts';
import {
  acceptInvitation,
  type InvitationOffer,
  joinByInvitation,
  readInvitation,
} from '#console/api/people/invitations.ts';
import { sessionQuery } from '#console/api/people/session.ts';
import type { Session } from '#console/api/types.ts';
import { Button } from '#console/ui/button.tsx';
import { PasswordField, TextField } from '#console/ui/form/field.tsx';
import { sayDone } from '#console/ui/messages.tsx';
import { Alert } from '#console/ui/page/states.tsx';
import { useJoinWords } from './join-words.ts';
import { LateSecondStep, stepOf } from '#console/app/sign-in/form.tsx';
import { CardPage } from '#console/app/sign-in/page.tsx';
import { forgetToken, takeToken } from '#console/app/sign-in/token.ts';
import css from '#console/app/sign-in/sign-in.module.css';
import { Loaded } from '#console/ui/page/loaded.tsx';

/** /join#token=…: how an invited person joins an organization. */
export function JoinPage() {
  const words = useJoinWords();
  const [token] = useState(() => takeToken() ?? '');
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => readInvitation(token),
    enabled: token !== '',
    retry: false,
    staleTime: Infinity,
  });

  const { data, error } = invitation;
  const isEnded = token === '' || (error instanceof ApiError && error.status === 400);
  return (
    <CardPage title={data === undefined ? words.title : words.titleOf(data.organization)}>
      {isEnded ? (
        <>
          <Alert text={words.ended} />
          <Link to="/sign-in">{words.toSignIn}</Link>
        </>
      ) : (
        <Loaded query={invitation} rows={3}>
          {(offer) => <JoinForm token={token} offer={offer} />}
        </Loaded>
      )}
    </CardPage>
  );
}

function JoinForm({ token, offer }: { token: string; offer: InvitationOffer }) {
  const words = useJoinWords();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { data: session } = useQuery(sessionQuery);
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [isPending, setPending] = useState(false);
  const [issues, setIssues] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<string>();
  const [step, setStep] = useState<ReturnType<typeof stepOf>>();
  const { organization, email, role, invitedBy, hasAccount } = offer;
  const isSignedIn = session?.user.email === email;

  async function join(accept: () => Promise<Session>): Promise<void> {
    if (isPending) return;
    setPending(true);
    setProblem(undefined);
    setIssues({});
    try {
      const joined = await accept();
      forgetToken();
      queries.clear();
      queries.setQueryData(sessionQuery.queryKey, joined);
      sayDone(words.joined(organization));
      await navigate({ to: '/links', replace: true });
    } catch (error) {
      const needed = stepOf(error);
      if (needed !== undefined) {
        setPending(false);
        return setStep(needed);
      }
      const found = error instanceof ApiError ? issuesByPath(error) : {};
      setIssues(found);
      if (error instanceof ApiError && error.status === 401) setIssues({ password: words.wrong });
      else if (found.token !== undefined) setProblem(words.ended);
      else if (Object.keys(found).length === 0) setProblem(messageOf(error));
      setPending(false);
    }
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (password === '') return;
    void join(() => acceptInvitation({ token, name: hasAccount ? null : name.trim() || null, password }));
  }

  // The password was right: once the second factor has signed the person in, the session joins.
  if (step !== undefined) {
    return (
      <LateSecondStep
        {...step}
        onSignedIn={() => {
          setStep(undefined);
          void join(() => joinByInvitation(token));
        }}
      />
    );
  }
  const shownRole = words.roles[role];
  return (
    <form className={css.form} onSubmit={submit}>
      <p>
        {invitedBy === null ? words.byNobody(shownRole) : words.by(invitedBy, shownRole)}
        <br />
        <span className="quiet">{words.forEmail(email)}</span>
      </p>
      <Alert text={problem} />
      {isSignedIn ? (
        <Button variant="primary" isDisabled={isPending} onPress={() => void join(() => joinByInvitation(token))}>
          {words.joinAs(session.user.name)}
        </Button>
      ) : (
        <>
          {session !== undefined && session !== null && <p>{words.other(session.user.email)}</p>}
          {!hasAccount && (
            <TextField
              label={words.name}
              name="name"
              autoComplete="name"
              value={name}
              onChange={setName}
              error={issues.name}
              autoFocus
              isRequired
            />
          )}
          <PasswordField
            label={words.password}
            hint={hasAccount ? words.knownHint : words.newHint}
            name="password"
            autoComplete={hasAccount ? 'current-password' : 'new-password'}
            value={password}
            onChange={setPassword}
            error={issues.password}
            autoFocus={hasAccount}
          />
          <Button type="submit" variant="primary" isDisabled={isPending}>
            {words.join}
          </Button>
        </>
      )}
    </form>
  );
}
