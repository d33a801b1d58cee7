import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '#console/api/error.ts';
import { askForPasskey, signInByPasskey } from '#console/api/people/second-factors.ts';
import { signIn } from '#console/api/people/session.ts';
import type { Session } from '#console/api/types.ts';
import { useCardForm } from '#console/app/factors/use-card-form.ts';
import { Button } from '#console/ui/button.tsx';
import { PasswordField, TextField } from '#console/ui/form/field.tsx';
import { Form } from '#console/ui/form/form.tsx';
import { sayDone } from '#console/ui/messages.tsx';
import { Alert, Skeleton } from '#console/ui/page/states.tsx';
import { useSignInWords } from './sign-in-words.ts';
import { lastOrganizationOf, roleChangeOf } from './role-change.ts';
import { ProviderSignIn } from './provider.tsx';
import { late } from '#console/ui/page/late.tsx';
import layout from '#console/ui/page/layout.module.css';

type SignInWords = ReturnType<typeof useSignInWords>;

/** The second step of a sign-in, loaded when it is needed. */
export const LateSecondStep = late(
  async () => (await import('#console/app/factors/second-step.tsx')).SecondStep,
  'box',
  <Skeleton rows={2} />,
);

/** Whether the password was right, and the person is no member of any organization. */
function isOutside(error: unknown): boolean {
  return error instanceof ApiError && error.reason === 'no-organization';
}

async function readAndSendPasskey(): Promise<Session> {
  const request = await askForPasskey();
  const { readPasskey } = await import('#console/app/factors/passkey.ts');
  return await signInByPasskey(await readPasskey(request));
}

/** Why a sign-in failed. */
function problemOf(error: Error, input: { email: string } | 'passkey' | undefined, words: SignInWords): string {
  const isWrong = error instanceof ApiError && error.status === 401;
  // Other errors are the browser's: cancelled, or there is no passkey here.
  if (input === 'passkey') return error instanceof ApiError && !isWrong ? error.message : words.passkeyFailed;
  const left = isOutside(error) ? lastOrganizationOf(input?.email ?? '') : undefined;
  return isWrong ? words.wrong : left === undefined ? error.message : words.isOut(left);
}

interface SignInFormProps {
  email: string;
  /** Whether it leads to the page for a forgotten password, which leaves the present page. */
  hasForgot?: boolean;
  onSignedIn: (session: Session) => void;
  /** Where a sign-in by an identity provider leads, and why the last one failed; undefined: the present page stays open. */
  provider?: { next: string | undefined; problem: string | undefined };
}

/** E-mail and password. The field that is still empty has the focus. */
export function SignInForm({ email: given, hasForgot = false, onSignedIn: goOn, provider }: SignInFormProps) {
  const words = useSignInWords();
  const onSignedIn = (session: Session): void => {
    const change = roleChangeOf(session);
    if (change?.kind === 'role') sayDone(words.roleChanged(words.roleNouns[change.role], change.name));
    else if (change?.kind === 'left') sayDone(words.isOut(change.name));
    goOn(session);
  };
  const [email, setEmail] = useState(given);
  const [password, setPassword] = useState('');
  const form = useCardForm(async (input: Parameters<typeof signIn>[0] | 'passkey') =>
    onSignedIn(input === 'passkey' ? await readAndSendPasskey() : await signIn(input)),
  );
  const { step, isSent } = form;

  if (step !== undefined) {
    return (
      <LateSecondStep
        {...step}
        onSignedIn={onSignedIn}
        onBack={() => {
          setPassword('');
          form.reset();
        }}
      />
    );
  }
  return (
    <Form
      className={layout.stack}
      // An Enter that comes as the form opens finds it empty.
      isReady={!isSent && email !== '' && password !== ''}
      onSubmit={() => form.send({ email, password })}
    >
      <Alert text={form.error === null ? undefined : problemOf(form.error, form.input, words)} />
      <TextField
        label={words.email}
        type="email"
        name="email"
        autoComplete="username"
        value={email}
        onChange={setEmail}
        autoFocus={given === ''}
        isRequired
      />
      <PasswordField
        label={words.password}
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        autoFocus={given !== ''}
      />
      <Button type="submit" variant="primary" isDisabled={isSent}>
        {words.submit}
      </Button>
      {typeof PublicKeyCredential !== 'undefined' && (
        <Button icon="key" isDisabled={isSent} onPress={() => form.send('passkey')}>
          {words.byPasskey}
        </Button>
      )}
      {hasForgot && (
        <Link to="/forgot" search={{ email }}>
          {words.forgot}
        </Link>
      )}
      {provider !== undefined && (
        <ProviderSignIn
          email={email}
          next={provider.next}
          // A newer attempt has an outcome of its own.
          problem={form.input === undefined ? provider.problem : undefined}
        />
      )}
    </Form>
  );
}
