import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { apiBase } from '#console/api/client.ts';
import { sessionQuery } from '#console/api/people/session.ts';
import { buttonClass } from '#console/ui/button.tsx';
import { Notice } from '#console/ui/page/states.tsx';
import { safeNext } from './next.ts';
import { SignInForm } from './form.tsx';
import { useTitle } from '#console/app/places/title.ts';
import { useSignInWords } from './sign-in-words.ts';
import css from './sign-in.module.css';

/** A page outside the frame: one card in the middle. */
export function CardPage({ title, children }: { title: string; children: ReactNode }) {
  useTitle(title);
  return (
    <main className={css.page}>
      <div className={css.card}>
        <div className={css.head}>
          <img src={`${apiBase()}/console/icon.svg`} alt="" width={36} height={36} />
          <h1>{title}</h1>
        </div>
        {children}
      </div>
    </main>
  );
}

/** /sign-in */
export default function SignInPage() {
  const words = useSignInWords();
  const { email, next, problem } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const base = apiBase();
  // The cookie and the check of the Origin hold for this address alone.
  if (new URL(base).origin !== location.origin) {
    const there = `${base}/console/sign-in${location.search}`;
    return (
      <CardPage title={words.title}>
        <Notice tone="warn">{words.elsewhere(base)}</Notice>
        <a className={buttonClass('primary')} href={there}>
          {words.open}
        </a>
      </CardPage>
    );
  }
  return (
    <CardPage title={words.title}>
      <SignInForm
        email={email ?? ''}
        hasForgot
        provider={{ next, problem }}
        onSignedIn={(session) => {
          queries.clear();
          queries.setQueryData(sessionQuery.queryKey, session);
          void navigate({ href: safeNext(next), replace: true });
        }}
      />
    </CardPage>
  );
}
