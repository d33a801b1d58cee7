import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { forgotPassword } from '#console/api/people/session.ts';
import { useResetWords } from '#console/app/sign-in/words.ts';
import { useCardForm } from '#console/app/factors/use-card-form.ts';
import { Button } from '#console/ui/button.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import { Form } from '#console/ui/form/form.tsx';
import { Alert, Notice } from '#console/ui/page/states.tsx';
import { CardPage } from '#console/app/sign-in/page.tsx';
import layout from '#console/ui/page/layout.module.css';

/** /forgot: asks for a mail with a link for a new password. */
export default function ForgotPage() {
  const words = useResetWords();
  const { email: given = '' } = useSearch({ from: '/forgot' });
  const [email, setEmail] = useState(given);
  const [sentTo, setSentTo] = useState<string>();
  const form = useCardForm(async () => {
    await forgotPassword(email);
    setSentTo(email.trim());
  });

  return (
    <CardPage title={words.forgotTitle}>
      <Form className={layout.stack} isReady={!form.isPending} onSubmit={form.send}>
        <Alert text={form.error?.message} />
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
        <Button type="submit" variant="primary" isPending={form.isPending}>
          {sentTo === undefined ? words.send : words.sendAgain}
        </Button>
        <Link to="/sign-in" search={{ email }}>
          {words.back}
        </Link>
      </Form>
    </CardPage>
  );
}
