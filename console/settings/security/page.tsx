import { useQuery, useQueryClient } from '@tanstack/react-query';
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
} from '#console/api/people/second-factors.ts';
import { useFormat } from '#console/i18n/format.ts';
import { Button } from '#console/ui/button.tsx';
import { ConfirmButton, FormDialog } from '#console/ui/form/form-dialog.tsx';
import { sayDone } from '#console/ui/messages.tsx';
import { useNow } from '#console/ui/browser/now.ts';
import { Notice } from '#console/ui/page/states.tsx';
import { SettingsFrame } from '#console/settings/frame.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { TotpDialog } from './totp-dialog.tsx';
import { useSecurityWords } from './words.ts';
import layout from '#console/ui/page/layout.module.css';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { useChange } from '#console/ui/form/use-change.ts';
import { Code } from '#console/ui/text/code.tsx';
import { OnceDialog } from '#console/ui/form/once-dialog.tsx';
import { download } from '#console/ui/browser/download.ts';
import { lengths } from '#core/lengths.ts';
import { TextField } from '#console/ui/form/field.tsx';

/** /settings/security */
export default function SecurityPage() {
  const words = useSecurityWords();
  const format = useFormat();
  const now = useNow();
  const query = useQuery(secondFactorsQuery);
  const [secret, setSecret] = useState<TotpSecret>();
  const [naming, setNaming] = useState<Passkey | 'new'>();
  const [codes, setCodes] = useState<readonly string[]>();
  const queries = useQueryClient();
  const refresh = [['account']];
  const begin = useChange({ send: beginTotp, failed: words.failed, onDone: setSecret });
  const name = useChange({
    send: async (given: string) => {
      if (naming !== 'new') {
        await renamePasskey(naming!.id, given);
        return undefined;
      }
      const creation = await beginPasskey();
      const { makePasskey } = await import('#console/app/factors/passkey.ts');
      // The browser's own error: cancelled, or the passkey is there already.
      const made = await makePasskey(creation).catch(() => Promise.reject(new Error(words.passkeyFailed)));
      return addPasskey({ ...made, name: given });
    },
    done: (added) => (added === undefined ? words.renamed : words.added),
    failed: words.failed,
    refresh,
    onDone: (added) => {
      setNaming(undefined);
      if (added?.recoveryCodes) setCodes(added.recoveryCodes);
    },
  });
  const factors = (query.data?.passkeys.length ?? 0) + (query.data?.totp ? 1 : 0);
  const lossText = factors === 1 ? words.lastText : words.removeText;
  const hasBrowserPasskeys = typeof PublicKeyCredential !== 'undefined';

  return (
    <SettingsFrame page="security">
      <p className="quiet">{words.intro}</p>
      <Loaded query={query} rows={4}>
        {(data) => (
          <>
            {data.isRequired && factors === 0 && (
              <Notice tone="warn" icon="shield">
                {words.required}
              </Notice>
            )}
            <Panel title={words.app}>
              <p className="quiet">{words.appHint}</p>
              {data.totp === null ? (
                <div>
                  <Button icon="add" isPending={begin.isPending} onPress={() => begin.send()}>
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
                    <ConfirmButton
                      button={{ variant: 'danger', children: words.removeApp }}
                      title={words.removeApp}
                      submitLabel={words.remove}
                      change={{ send: removeTotp, done: words.removed, failed: words.failed, refresh }}
                    >
                      <p>{lossText}</p>
                    </ConfirmButton>
                  </div>
                </>
              )}
            </Panel>
            <Panel title={words.passkeys}>
              <p className="quiet">{words.passkeyHint}</p>
              {data.passkeys.length > 0 && (
                <ul className={layout.rows}>
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
                      <ConfirmButton
                        button={{
                          size: 'small',
                          'aria-label': words.removeOf(passkey.name),
                          children: words.remove,
                        }}
                        title={words.removeOf(passkey.name)}
                        submitLabel={words.remove}
                        change={{
                          send: () => removePasskey(passkey.id),
                          done: words.removed,
                          failed: words.failed,
                          refresh,
                        }}
                      >
                        <p>{lossText}</p>
                      </ConfirmButton>
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
            </Panel>
            {factors > 0 && (
              <Panel title={words.codes}>
                <p className="quiet">{words.codesHint}</p>
                <p>{words.codesLeft(data.recoveryCodesLeft)}</p>
                <div>
                  <ConfirmButton
                    button={{ children: words.renew }}
                    title={words.renew}
                    submitLabel={words.renew}
                    isDanger={false}
                    change={{
                      send: renewRecoveryCodes,
                      failed: words.failed,
                      refresh,
                      onDone: ({ recoveryCodes }) => setCodes(recoveryCodes),
                    }}
                  >
                    <p>{words.renewText}</p>
                  </ConfirmButton>
                </div>
              </Panel>
            )}
          </>
        )}
      </Loaded>
      {secret !== undefined && (
        <TotpDialog
          secret={secret}
          onClose={() => setSecret(undefined)}
          onAdded={(made) => {
            setSecret(undefined);
            sayDone(words.added);
            if (made !== null) setCodes(made);
            void queries.invalidateQueries({ queryKey: ['account'] });
          }}
        />
      )}
      {naming !== undefined && (
        <NameDialog
          name={naming === 'new' ? '' : naming.name}
          isNew={naming === 'new'}
          isPending={name.isPending}
          onClose={() => setNaming(undefined)}
          onName={(given) => name.send(given)}
        />
      )}
      {codes !== undefined && <CodesDialog codes={codes} onClose={() => setCodes(undefined)} />}
    </SettingsFrame>
  );
}

/** The recovery codes, once. */
function CodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const words = useSecurityWords();
  const text = codes.join('\n');
  return (
    <OnceDialog
      title={words.codesTitle}
      once={words.codesOnce}
      done={words.kept}
      action={
        <Button
          icon="download"
          onPress={() => download(new Blob([`${location.host}\n\n${text}\n`], { type: 'text/plain' }), words.file)}
        >
          {words.downloadCodes}
        </Button>
      }
      onClose={onClose}
    >
      <Code text={text} label={words.codes} name={words.codes} />
    </OnceDialog>
  );
}

interface NameDialogProps {
  name: string;
  /** Whether the passkey is made afterwards, by the browser. */
  isNew: boolean;
  isPending: boolean;
  onClose: () => void;
  onName: (name: string) => void;
}

/** Asks for the name of a passkey. */
function NameDialog({ name: given, isNew, isPending, onClose, onName }: NameDialogProps) {
  const words = useSecurityWords();
  const [name, setName] = useState(given);
  return (
    <FormDialog
      title={isNew ? words.addPasskey : words.renameOf(given)}
      onClose={onClose}
      submitLabel={isNew ? words.add : words.save}
      isReady={name.trim() !== ''}
      isPending={isPending}
      onSubmit={() => onName(name.trim())}
    >
      <TextField
        label={words.passkeyName}
        hint={words.passkeyNameHint}
        value={name}
        onChange={setName}
        maxLength={lengths.passkeyName}
        autoFocus
        isRequired
      />
    </FormDialog>
  );
}
