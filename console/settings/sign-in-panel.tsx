import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type OrganizationOidc,
  organizationOidcQuery,
  removeOrganizationOidc,
  setOrganizationOidc,
} from '#console/api/people/oidc.ts';
import { useCan, useOwnersRefusal } from '#console/app/can.ts';
import { Button } from '#console/ui/button.tsx';
import { CopyButton } from '#console/ui/text/copy.tsx';
import { TextField } from '#console/ui/form/field.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { useSignInWords } from './sign-in-words.ts';
import css from './settings.module.css';
import layout from '#console/ui/page/layout.module.css';
import { ConfirmButton } from '#console/ui/form/form-dialog.tsx';
import { Form } from '#console/ui/form/form.tsx';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { useChange } from '#console/ui/form/use-change.ts';

/** The identity provider by which people of the organization sign in. */
export function SignInPanel() {
  const words = useSignInWords();
  return (
    <Panel title={words.title}>
      <p className="quiet">{words.hint}</p>
      {useCan('apiKeys', 'read') ? <Provider /> : <p>{words.forAdmins}</p>}
    </Panel>
  );
}

function Provider() {
  return (
    <Loaded query={useQuery(organizationOidcQuery)} rows={3}>
      {(provider) => <ProviderForm key={provider.updatedAt} provider={provider} />}
    </Loaded>
  );
}

function ProviderForm({ provider }: { provider: OrganizationOidc }) {
  const words = useSignInWords();
  const refusal = useOwnersRefusal(words.forOwners);
  const [draft, setDraft] = useState({
    emailDomain: provider.emailDomain ?? '',
    issuer: provider.issuer ?? '',
    clientId: provider.clientId ?? '',
    clientSecret: '',
  });
  const isSet = provider.issuer !== null;
  const save = useChange({
    send: () => {
      const { emailDomain, issuer, clientId, clientSecret } = draft;
      return setOrganizationOidc({
        issuer: issuer.trim(),
        clientId: clientId.trim(),
        clientSecret: clientSecret === '' ? null : clientSecret,
        emailDomain: emailDomain.trim(),
      });
    },
    done: words.saved,
    failed: words.notSaved,
    fields: ['issuer', 'clientId', 'clientSecret', 'emailDomain'],
    refresh: [organizationOidcQuery.queryKey],
  });
  const field = (name: keyof typeof draft) => ({
    label: words[name],
    value: draft[name],
    onChange: (value: string) => setDraft({ ...draft, [name]: value }),
    error: save.issues[name],
    isDisabled: refusal !== undefined,
  });
  return (
    <Form isReady={!save.isPending} onSubmit={save.send}>
      <p className={css.address}>
        {words.register} <code>{provider.redirectUri}</code>{' '}
        <CopyButton text={provider.redirectUri} label={words.copy} />
      </p>
      {refusal !== undefined && <p>{refusal}</p>}
      <TextField {...field('emailDomain')} hint={words.emailDomainHint} placeholder="example.com" />
      <TextField {...field('issuer')} placeholder="https://login.example.com" inputMode="url" />
      <TextField {...field('clientId')} autoComplete="off" />
      <TextField
        {...field('clientSecret')}
        type="password"
        hint={isSet ? words.secretStays : undefined}
        autoComplete="off"
      />
      <div className={layout.actions}>
        <Button type="submit" variant="primary" refusal={refusal} isPending={save.isPending}>
          {save.isPending ? words.asking : words.save}
        </Button>
        {isSet && (
          <ConfirmButton
            button={{ refusal, children: words.remove }}
            title={words.removeTitle}
            submitLabel={words.removeNow}
            change={{
              send: removeOrganizationOidc,
              done: words.removed,
              failed: words.notSaved,
              refresh: [organizationOidcQuery.queryKey],
            }}
          >
            <p>{words.removeText}</p>
          </ConfirmButton>
        )}
      </div>
    </Form>
  );
}
