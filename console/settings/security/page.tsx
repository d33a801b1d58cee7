import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import {
  addPasskey,
  beginPasskey,
  beginTotp,
  type Passkey,
  removePasskey,
  removeTotp,
  renamePasskey,
  renewRecoveryCodes,
  secondFactorsQuery,
  type TotpSecret,
} from '#console/api/second-factors.ts';
import { ApiError } from '#console/api/error.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { Confirm } from '#console/ui/dialog.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { useNow } from '#console/ui/now.ts';
import { Failed, Notice, Skeleton } from '#console/ui/states.tsx';
import { SettingsFrame } from '#console/settings/frame.tsx';
import settings from '#console/settings/settings.module.css';
import { CodesDialog } from './codes-dialog.tsx';
import { NameDialog } from './name-dialog.tsx';
import { TotpDialog } from './totp-dialog.tsx';
import { useSecurityWords } from './words.ts';

/** What is asked before it is removed or replaced. */
type Asked = { kind: 'totp' } | { kind: 'passkey'; passkey: Passkey } | { kind: 'codes' };

/** /settings/security */
export function SecurityPage() {
  const words = useSecurityWords();
  const format = useFormat();
  const now = useNow();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(secondFactorsQuery);
  const [secret, setSecret] = useState<TotpSecret>();
  const [naming, setNaming] = useState<Passkey | 'new'>();
  const [asked, setAsked] = useState<Asked>();
  const [codes, setCodes] = useState<readonly string[]>();
  const reread = () => queries.invalidateQueries({ queryKey: ['account'] });
  const fail = (failure: unknown): void => {
    // The browser's own error: cancelled, or the passkey is there already.
    if (failure instanceof ApiError) sayFailed(words.failed, failure);
    else sayFailed(words.passkeyFailed, undefined);
  };
  const begin = useMutation({
    mutationFn: beginTotp,
    onSuccess: setSecret,
    onError: (failure) => sayFailed(words.failed, failure),
  });
  const name = useMutation({
    mutationFn: async (given: string) => {
      if (naming !== 'new') {
        await renamePasskey(naming!.id, given);
        return undefined;
      }
      const creation = await beginPasskey();
      const { makePasskey } = await import('#console/app/factors/passkey.ts');
      return addPasskey({ ...(await makePasskey(creation)), name: given });
    },
    onSuccess: (added) => {
      sayDone(added === undefined ? words.renamed : words.added);
      if (added?.recoveryCodes) setCodes(added.recoveryCodes);
    },
    onError: fail,
    onSettled: () => {
      setNaming(undefined);
      return reread();
    },
  });
  const change = useMutation({
    mutationFn: async (what: Asked) => {
      if (what.kind === 'codes') return setCodes((await renewRecoveryCodes()).recoveryCodes);
      await (what.kind === 'totp' ? removeTotp() : removePasskey(what.passkey.id));
      sayDone(words.removed);
    },
    onError: (failure) => sayFailed(words.failed, failure),
    onSettled: () => {
      setAsked(undefined);
      return reread();
    },
  });
  const factors = (data?.passkeys.length ?? 0) + (data?.totp ? 1 : 0);
  const hasBrowserPasskeys = typeof PublicKeyCredential !== 'undefined';

  return (
    <SettingsFrame page="security">
      <p className="quiet">{words.intro}</p>
      {data === undefined &&
        (error === null ? <Skeleton rows={4} /> : <Failed error={error} onRetry={() => void refetch()} />)}
      {data !== undefined && (
        <>
          {data.isRequired && factors === 0 && (
            <Notice tone="warn" icon="shield">
              {words.required}
            </Notice>
          )}
          <section className={settings.panel} aria-label={words.app}>
            <h2>{words.app}</h2>
            <p className="quiet">{words.appHint}</p>
            {data.totp === null ? (
              <div>
                <Button icon="add" isDisabled={begin.isPending} onPress={() => begin.mutate()}>
                  {words.addApp}
                </Button>
              </div>
            ) : (
              <>
                <p>
                  {words.appOn(
                    format.day(data.totp.createdAt),
                    data.totp.lastUsedAt === null ? words.never : format.ago(data.totp.lastUsedAt, now),
                  )}
                </p>
                <div>
                  <Button variant="danger" onPress={() => setAsked({ kind: 'totp' })}>
                    {words.removeApp}
                  </Button>
                </div>
              </>
            )}
          </section>
          <section className={settings.panel} aria-label={words.passkeys}>
            <h2>{words.passkeys}</h2>
            <p className="quiet">{words.passkeyHint}</p>
            {data.passkeys.length > 0 && (
              <ul className={settings.rows}>
                {data.passkeys.map((passkey) => (
                  <li key={passkey.id}>
                    <span>
                      <strong>{passkey.name}</strong>
                      <br />
                      <span className="quiet">
                        {passkey.lastUsedAt === null
                          ? words.passkeyUnused(format.day(passkey.createdAt))
                          : words.passkeyUsed(format.day(passkey.createdAt), format.ago(passkey.lastUsedAt, now))}
                      </span>
                    </span>
                    <Button size="small" aria-label={words.renameOf(passkey.name)} onPress={() => setNaming(passkey)}>
                      {words.rename}
                    </Button>
                    <Button
                      size="small"
                      aria-label={words.removeOf(passkey.name)}
                      onPress={() => setAsked({ kind: 'passkey', passkey })}
                    >
                      {words.remove}
                    </Button>
                  </li>
                ))}
              </ul>
            )}
            {data.canAddPasskeys && hasBrowserPasskeys ? (
              <div>
                <Button icon="add" onPress={() => setNaming('new')}>
                  {words.addPasskey}
                </Button>
              </div>
            ) : (
              <p>{data.canAddPasskeys ? words.noBrowser : words.noPasskeys}</p>
            )}
          </section>
          {factors > 0 && (
            <section className={settings.panel} aria-label={words.codes}>
              <h2>{words.codes}</h2>
              <p className="quiet">{words.codesHint}</p>
              <p>{words.codesLeft(data.recoveryCodesLeft)}</p>
              <div>
                <Button onPress={() => setAsked({ kind: 'codes' })}>{words.renew}</Button>
              </div>
            </section>
          )}
        </>
      )}
      {secret !== undefined && (
        <TotpDialog
          secret={secret}
          onClose={() => setSecret(undefined)}
          onAdded={(made) => {
            setSecret(undefined);
            sayDone(words.added);
            if (made !== null) setCodes(made);
            void reread();
          }}
        />
      )}
      {naming !== undefined && (
        <NameDialog
          name={naming === 'new' ? '' : naming.name}
          isNew={naming === 'new'}
          isPending={name.isPending}
          onClose={() => setNaming(undefined)}
          onName={(given) => name.mutate(given)}
        />
      )}
      {asked !== undefined && (
        <Confirm
          title={titleOf(asked)}
          isOpen
          onClose={() => setAsked(undefined)}
          confirmLabel={asked.kind === 'codes' ? words.renew : words.remove}
          isDanger={asked.kind !== 'codes'}
          isConfirmDisabled={change.isPending}
          onConfirm={() => change.mutate(asked)}
        >
          <p>{asked.kind === 'codes' ? words.renewText : factors === 1 ? words.lastText : words.removeText}</p>
        </Confirm>
      )}
      {codes !== undefined && <CodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </SettingsFrame>
  );

  function titleOf(what: Asked): string {
    if (what.kind === 'codes') return words.renew;
    return what.kind === 'totp' ? words.removeApp : words.removeOf(what.passkey.name);
  }
}
