import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '#console/api/error.ts';
import {
  acceptInvitation,
  type InvitationOffer,
  joinByInvitation,
  readInvitation,
} from '#console/api/people/invitations.ts';
import { sessionQuery } from '#console/api/people/session.ts';
import type { Session } from '#console/api/types.ts';
import { useCardForm } from '#console/app/factors/use-card-form.ts';
import { Button } from '#console/ui/button.tsx';
import { PasswordField, TextField } from '#console/ui/form/field.tsx';
import { Form } from '#console/ui/form/form.tsx';
import { sayDone } from '#console/ui/messages.tsx';
import { Alert } from '#console/ui/page/states.tsx';
import { useJoinWords } from './join-words.ts';
import { LateSecondStep } from '#console/app/sign-in/form.tsx';
import { CardPage } from '#console/app/sign-in/page.tsx';
import { forgetToken, takeToken } from '#console/app/sign-in/token.ts';
import layout from '#console/ui/page/layout.module.css';
import { Loaded } from '#console/ui/page/loaded.tsx';

/** /join#token=…: how an invited person joins an organization. */
export default function JoinPage() {
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
  const { organization, email, role, invitedBy, hasAccount } = offer;
  const isSignedIn = session?.user.email === email;

  const form = useCardForm(async (accept: () => Promise<Session>) => {
    const joined = await accept();
    forgetToken();
    queries.clear();
    queries.setQueryData(sessionQuery.queryKey, joined);
    sayDone(words.joined(organization));
    await navigate({ to: '/links', replace: true });
  });
  const { step, isSent } = form;
  const isWrong = form.error instanceof ApiError && form.error.status === 401;
  const problem = form.issues.token === undefined ? form.problem : words.ended;

  // The password was right: once the second factor has signed the person in, the session joins.
  if (step !== undefined) {
    return <LateSecondStep {...step} onSignedIn={() => form.send(() => joinByInvitation(token))} />;
  }
  const shownRole = words.roleNouns[role];
  return (
    <Form
      className={layout.stack}
      isReady={!isSent && password !== ''}
      onSubmit={() =>
        form.send(() => acceptInvitation({ token, name: hasAccount ? null : name.trim() || null, password }))
      }
    >
      <p>
        {invitedBy === null ? words.byNobody(shownRole) : words.by(invitedBy, shownRole)}
        <br />
        <span className="quiet">{words.forEmail(email)}</span>
      </p>
      <Alert text={isWrong ? undefined : problem} />
      {isSignedIn ? (
        <Button variant="primary" isDisabled={isSent} onPress={() => form.send(() => joinByInvitation(token))}>
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
              error={form.issues.name}
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
            error={isWrong ? words.wrong : form.issues.password}
            autoFocus={hasAccount}
          />
          <Button type="submit" variant="primary" isDisabled={isSent}>
            {words.join}
          </Button>
        </>
      )}
    </Form>
  );
}
