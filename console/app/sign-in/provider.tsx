import { useQuery } from '@tanstack/react-query';
import { isMissing } from '#console/api/error.ts';
import { oidcOfferQuery, startOidc } from '#console/api/people/oidc.ts';
import { useCardForm } from '#console/app/factors/use-card-form.ts';
import { Button } from '#console/ui/button.tsx';
import { Notice } from '#console/ui/page/states.tsx';
import { useSignInWords } from './sign-in-words.ts';
import { safeNext } from './next.ts';
import css from './sign-in.module.css';

interface ProviderSignInProps {
  /** As it is typed: its domain chooses the provider of an organization. */
  email: string;
  next: string | undefined;
  /** Why the last sign-in by a provider came to nothing, from the address. */
  problem: string | undefined;
}

/** The way to the identity provider of the installation, or of the organization of an e-mail. */
export function ProviderSignIn({ email, next, problem }: ProviderSignInProps) {
  const words = useSignInWords();
  const { data } = useQuery(oidcOfferQuery);
  const { send, isSent, error, input } = useCardForm(async (typed: string) => {
    const { url } = await startOidc({ email: typed.trim() || undefined, next: safeNext(next) });
    location.assign(url);
  });
  const problems: Readonly<Record<string, string>> = words.problems;
  const failure =
    error === null
      ? undefined
      : !isMissing(error)
        ? error.message
        : input?.includes('@')
          ? words.noProvider
          : words.emailFirst;
  const last = input === undefined ? problem : undefined;
  const shown = failure ?? (last === undefined ? undefined : (problems[last] ?? words.problems['provider-refused']));

  return (
    <div className={css.provider}>
      {shown !== undefined && (
        <div role="alert">
          <Notice tone="warn" icon="warning">
            {shown}
          </Notice>
        </div>
      )}
      <Button icon="lock" isDisabled={isSent} onPress={() => send(email)}>
        {typeof data?.name === 'string' ? words.continueWith(data.name) : words.bySso}
      </Button>
    </div>
  );
}
