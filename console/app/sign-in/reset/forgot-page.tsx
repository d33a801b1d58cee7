import { messageOf } from '#console/api/error.ts';
import { Link, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { forgotPassword } from '#console/api/people/session.ts';
import { useResetWords } from '#console/app/sign-in/words.ts';
import { Button } from '#console/ui/button.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import { Alert, Notice } from '#console/ui/page/states.tsx';
import { CardPage } from '#console/app/sign-in/page.tsx';
import css from '#console/app/sign-in/sign-in.module.css';

/** /forgot: asks for a mail with a link for a new password. */
export function ForgotPage() {
  const words = useResetWords();
  const { email: given = '' } = useSearch({ from: '/forgot' });
  const [email, setEmail] = useState(given);
  const [isPending, setPending] = useState(false);
  const [sentTo, setSentTo] = useState<string>();
  const [problem, setProblem] = useState<string>();

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setPending(true);
    setProblem(undefined);
    try {
      await forgotPassword(email);
      setSentTo(email.trim());
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setPending(false);
    }
  }

  return (
    <CardPage title={words.forgotTitle}>
      <form className={css.form} onSubmit={(event) => void submit(event)}>
        <Alert text={problem} />
        {sentTo === undefined ? (
          <p>{words.forgotText}</p>
        ) : (
          <div role="status">
            <Notice tone="good" icon="check">
              {words.sent(sentTo)}
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
          autoFocus
          isRequired
        />
        <Button type="submit" variant="primary" isPending={isPending}>
          {sentTo === undefined ? words.send : words.sendAgain}
        </Button>
        <Link to="/sign-in" search={{ email }}>
          {words.back}
        </Link>
      </form>
    </CardPage>
  );
}
