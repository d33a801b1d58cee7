import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { issuesByPath } from '#console/api/error.ts';
import {
  type OrganizationOidc,
  organizationOidcQuery,
  removeOrganizationOidc,
  setOrganizationOidc,
} from '#console/api/oidc.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { Button } from '#console/ui/button.tsx';
import { CopyButton } from '#console/ui/copy.tsx';
import { TextField } from '#console/ui/field.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { Failed, Skeleton } from '#console/ui/states.tsx';
import { useSignInWords } from './sign-in-words.ts';
import css from './settings.module.css';

/** The identity provider by which people of the organization sign in. */
export function SignInPanel() {
  const words = useSignInWords();
  const { data, error, refetch } = useQuery(organizationOidcQuery);
  return (
    <section className={css.panel} aria-label={words.title}>
      <h2>{words.title}</h2>
      <p className="quiet">{words.hint}</p>
      {data !== undefined ? (
        <ProviderForm key={data.updatedAt} provider={data} />
      ) : error !== null ? (
        <Failed error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton rows={3} />
      )}
    </section>
  );
}

function ProviderForm({ provider }: { provider: OrganizationOidc }) {
  const words = useSignInWords();
  const queries = useQueryClient();
  const isOwner = useSession().organization.role === 'owner';
  const [emailDomain, setEmailDomain] = useState(provider.emailDomain ?? '');
  const [issuer, setIssuer] = useState(provider.issuer ?? '');
  const [clientId, setClientId] = useState(provider.clientId ?? '');
  const [clientSecret, setClientSecret] = useState('');
  const [issues, setIssues] = useState<Readonly<Record<string, string>>>({});
  const isSet = provider.issuer !== null;
  const refresh = () => queries.invalidateQueries({ queryKey: organizationOidcQuery.queryKey });
  const save = useMutation({
    mutationFn: () =>
      setOrganizationOidc({
        issuer: issuer.trim(),
        clientId: clientId.trim(),
        clientSecret: clientSecret === '' ? null : clientSecret,
        emailDomain: emailDomain.trim(),
      }),
    onMutate: () => setIssues({}),
    onSuccess: async () => {
      sayDone(words.saved);
      await refresh();
    },
    onError: (error) => {
      const found = issuesByPath(error);
      setIssues(found);
      if (Object.keys(found).length === 0) sayFailed(words.notSaved, error);
    },
  });
  const remove = useMutation({
    mutationFn: removeOrganizationOidc,
    onSuccess: async () => {
      sayDone(words.removed);
      await refresh();
    },
    onError: (error) => sayFailed(words.notSaved, error),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!save.isPending) save.mutate();
  };
  return (
    <form className={css.form} onSubmit={submit}>
      <p className={css.address}>
        {words.register} <code>{provider.redirectUri}</code>{' '}
        <CopyButton text={provider.redirectUri} label={words.copy} />
      </p>
      {!isOwner && <p>{words.forOwners}</p>}
      <TextField
        label={words.emailDomain}
        hint={words.emailDomainHint}
        value={emailDomain}
        onChange={setEmailDomain}
        error={issues.emailDomain}
        isDisabled={!isOwner}
        placeholder="example.com"
      />
      <TextField
        label={words.issuer}
        value={issuer}
        onChange={setIssuer}
        error={issues.issuer}
        isDisabled={!isOwner}
        placeholder="https://login.example.com"
        inputMode="url"
      />
      <TextField
        label={words.clientId}
        value={clientId}
        onChange={setClientId}
        error={issues.clientId}
        isDisabled={!isOwner}
        autoComplete="off"
      />
      <TextField
        label={words.clientSecret}
        type="password"
        hint={isSet ? words.secretStays : undefined}
        value={clientSecret}
        onChange={setClientSecret}
        error={issues.clientSecret}
        isDisabled={!isOwner}
        autoComplete="off"
      />
      <div className={css.presets}>
        <Button type="submit" variant="primary" isDisabled={!isOwner || save.isPending}>
          {save.isPending ? words.asking : words.save}
        </Button>
        {isSet && (
          <Button isDisabled={remove.isPending} onPress={() => remove.mutate()}>
            {words.remove}
          </Button>
        )}
      </div>
    </form>
  );
}
