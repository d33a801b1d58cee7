import { Link } from '@tanstack/react-router';
import { type FormEvent, Suspense, useState } from 'react';
import { ApiError, messageOf } from '#console/api/error.ts';
import { askForPasskey, type ProofMethod, signInByPasskey } from '#console/api/people/second-factors.ts';
import { signIn } from '#console/api/people/session.ts';
import type { Session } from '#console/api/types.ts';
import { Button } from '#console/ui/button.tsx';
import { PasswordField, TextField } from '#console/ui/form/field.tsx';
import { sayDone } from '#console/ui/messages.tsx';
import { Alert, Skeleton } from '#console/ui/page/states.tsx';
import { useSignInWords } from './sign-in-words.ts';
import { lastOrganizationOf, roleChangeOf } from './role-change.ts';
import { ProviderSignIn } from './provider.tsx';
import { late } from '#console/ui/page/late.tsx';
import css from './sign-in.module.css';

const SecondStep = late(async () => (await import('#console/app/factors/second-step.tsx')).SecondStep);

/** A sign-in whose password was right. */
interface Step {
  token: string;
  methods: readonly ProofMethod[];
}

/** @returns the second step that an error asks for; undefined: it is another error. */
export function stepOf(error: unknown): Step | undefined {
  if (!(error instanceof ApiError) || error.code !== 'SECOND_FACTOR_REQUIRED') return undefined;
  return { token: error.token ?? '', methods: error.methods ?? [] };
}

/** Whether the password was right, and the person is no member of any organization. */
function isOutside(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403 && error.message.startsWith('You are not a member');
}

/** The second step of a sign-in, loaded when it is needed. */
export function LateSecondStep(props: Step & { onSignedIn: (session: Session) => void; onBack?: () => void }) {
  return (
    <Suspense fallback={<Skeleton rows={2} />}>
      <SecondStep {...props} />
    </Suspense>
  );
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
    if (change?.kind === 'role') sayDone(words.roleChanged(words.roles[change.role], change.name));
    else if (change?.kind === 'left') sayDone(words.isOut(change.name));
    goOn(session);
  };
  const [email, setEmail] = useState(given);
  const [password, setPassword] = useState('');
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [step, setStep] = useState<Step>();

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    // An Enter that comes as the form opens finds it empty.
    if (isPending || email === '' || password === '') return;
    setPending(true);
    setProblem(undefined);
    try {
      onSignedIn(await signIn({ email, password }));
    } catch (error) {
      setPending(false);
      const needed = stepOf(error);
      if (needed !== undefined) return setStep(needed);
      const isWrong = error instanceof ApiError && error.status === 401;
      const left = isOutside(error) ? lastOrganizationOf(email) : undefined;
      setProblem(isWrong ? words.wrong : left === undefined ? messageOf(error) : words.isOut(left));
    }
  }

  async function byPasskey(): Promise<void> {
    if (isPending) return;
    setPending(true);
    setProblem(undefined);
    try {
      const request = await askForPasskey();
      const { readPasskey } = await import('#console/app/factors/passkey.ts');
      onSignedIn(await signInByPasskey(await readPasskey(request)));
    } catch (error) {
      setPending(false);
      // Other errors are the browser's: cancelled, or there is no passkey here.
      setProblem(error instanceof ApiError && error.status !== 401 ? error.message : words.passkeyFailed);
    }
  }

  if (step !== undefined) {
    return (
      <LateSecondStep
        {...step}
        onSignedIn={onSignedIn}
        onBack={() => {
          setPassword('');
          setStep(undefined);
        }}
      />
    );
  }
  return (
    <form className={css.form} onSubmit={(event) => void submit(event)}>
      <Alert text={problem} />
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
      <Button type="submit" variant="primary" isDisabled={isPending}>
        {words.submit}
      </Button>
      {typeof PublicKeyCredential !== 'undefined' && (
        <Button icon="key" isDisabled={isPending} onPress={() => void byPasskey()}>
          {words.byPasskey}
        </Button>
      )}
      {hasForgot && (
        <Link to="/forgot" search={{ email }}>
          {words.forgot}
        </Link>
      )}
      {provider !== undefined && <ProviderSignIn email={email} {...provider} />}
    </form>
  );
}
