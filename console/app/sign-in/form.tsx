import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ApiError } from '#console/api/error.ts';
import { signIn } from '#console/api/session.ts';
import type { Session } from '#console/api/types.ts';
import { Button, IconButton } from '#console/ui/button.tsx';
import { TextField } from '#console/ui/field.tsx';
import { Notice } from '#console/ui/states.tsx';
import { useAppWords } from '#console/app/words.ts';
import { ProviderSignIn } from './provider.tsx';
import css from './sign-in.module.css';

interface SignInFormProps {
  email: string;
  /** Whether it leads to the page for a forgotten password, which leaves the present page. */
  hasForgot?: boolean;
  onSignedIn: (session: Session) => void;
  /** Where a sign-in by an identity provider leads, and why the last one failed; undefined: the present page stays open. */
  provider?: { next: string | undefined; problem: string | undefined };
}

/** E-mail and password. The field that is still empty has the focus. */
export function SignInForm({ email: given, hasForgot = false, onSignedIn, provider }: SignInFormProps) {
  const words = useAppWords().signIn;
  const [email, setEmail] = useState(given);
  const [password, setPassword] = useState('');
  const [isShown, setShown] = useState(false);
  const [isPending, setPending] = useState(false);
  const [problem, setProblem] = useState<string>();

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    // An Enter that comes as the form opens finds it empty.
    if (isPending || email === '' || password === '') return;
    setPending(true);
    setProblem(undefined);
    try {
      onSignedIn(await signIn({ email, password }));
    } catch (error) {
      const isWrong = error instanceof ApiError && error.status === 401;
      setProblem(isWrong ? words.wrong : error instanceof Error ? error.message : String(error));
      setPending(false);
    }
  }

  return (
    <form className={css.form} onSubmit={(event) => void submit(event)}>
      {problem !== undefined && (
        <div role="alert">
          <Notice tone="bad" icon="warning">
            {problem}
          </Notice>
        </div>
      )}
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
      <TextField
        label={words.password}
        type={isShown ? 'text' : 'password'}
        name="password"
        autoComplete="current-password"
        value={password}
        onChange={setPassword}
        autoFocus={given !== ''}
        isRequired
        after={
          <IconButton
            icon="eye"
            size="small"
            label={isShown ? words.hide : words.show}
            onPress={() => setShown(!isShown)}
          />
        }
      />
      <Button type="submit" variant="primary" isPending={isPending}>
        {words.submit}
      </Button>
      {hasForgot && (
        <Link to="/forgot" search={{ email }}>
          {words.forgot}
        </Link>
      )}
      {provider !== undefined && <ProviderSignIn email={email} {...provider} />}
    </form>
  );
}
