import { type ReactNode, useState } from 'react';
import { type Domain, updateDomain } from '#console/api/domains.ts';
import { useRefusal } from '#console/app/can.ts';
import { Button } from '#console/ui/button.tsx';
import { TextArea, TextField } from '#console/ui/form/field.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { useDomainWords } from './words.ts';
import css from './domains.module.css';
import layout from '#console/ui/page/layout.module.css';
import { Form } from '#console/ui/form/form.tsx';
import { useChange } from '#console/ui/form/use-change.ts';

type FileName = 'appleAppSiteAssociation' | 'androidAssetLinks';

/** The files by which phones open links of the domain in apps. */
export function Apps({ domain }: { domain: Domain }) {
  const words = useDomainWords();
  const [appId, setAppId] = useState('');
  const [packageName, setPackageName] = useState('');
  const [fingerprint, setFingerprint] = useState('');
  return (
    <Panel title={words.apps}>
      <p className="quiet">{words.appsText}</p>
      <div className={css.files}>
        <AppFile
          domain={domain}
          name="appleAppSiteAssociation"
          label={words.apple}
          fill={appId.trim() === '' ? undefined : () => appleDocument(appId.trim())}
        >
          <TextField
            label={words.appleId}
            value={appId}
            onChange={setAppId}
            placeholder="ABCDE12345.com.example.app"
            autoComplete="off"
          />
        </AppFile>
        <AppFile
          domain={domain}
          name="androidAssetLinks"
          label={words.android}
          fill={
            packageName.trim() === '' || fingerprint.trim() === ''
              ? undefined
              : () => androidDocument(packageName.trim(), fingerprint.trim())
          }
        >
          <TextField
            label={words.androidPackage}
            value={packageName}
            onChange={setPackageName}
            placeholder="com.example.app"
            autoComplete="off"
          />
          <TextField
            label={words.androidPrint}
            value={fingerprint}
            onChange={setFingerprint}
            placeholder="14:6D:E9:83:…"
            autoComplete="off"
          />
        </AppFile>
      </div>
    </Panel>
  );
}

interface AppFileProps {
  domain: Domain;
  name: FileName;
  label: string;
  /** Makes the document of the usual case; undefined: its fields are not filled in. */
  fill: (() => string) | undefined;
  /** The fields of the usual case. */
  children: ReactNode;
}

function AppFile({ domain, name, label, fill, children }: AppFileProps) {
  const words = useDomainWords();
  const refusal = useRefusal('domains', 'update');
  const saved = print(domain[name]);
  const [text, setText] = useState(saved);
  const content = read(text);
  const save = useChange({
    send: (document: unknown) => updateDomain(domain.id, { [name]: document }),
    done: words.saved,
    failed: words.notSaved,
    fields: [name],
    refresh: [['domains']],
    onDone: (changed) => setText(print(changed[name])),
  });
  // The API's message about a file, at any place in it.
  const [issue] = Object.values(save.issues);
  const problem = content.reason === undefined ? issue : words.notJson(content.reason);
  return (
    <Form
      className={css.file}
      isReady={content.reason === undefined}
      onSubmit={() => content.reason === undefined && save.send(content.document)}
    >
      <TextArea label={label} value={text} onChange={setText} rows={8} error={problem} />
      <div className={layout.actions}>
        <Button
          type="submit"
          size="small"
          isPending={save.isPending}
          refusal={refusal}
          isDisabled={refusal !== undefined || content.reason !== undefined || text === saved}
        >
          {words.save}
        </Button>
        <Button
          size="small"
          isDisabled={content.reason !== undefined}
          onPress={() => content.reason === undefined && setText(print(content.document))}
        >
          {words.format}
        </Button>
      </div>
      <details>
        <summary>{words.usual}</summary>
        <div className={css.usual}>
          {children}
          <div>
            <Button size="small" isDisabled={fill === undefined} onPress={() => fill !== undefined && setText(fill())}>
              {words.take}
            </Button>
          </div>
        </div>
      </details>
    </Form>
  );
}

/** The association file of an app on iOS, for all paths. @param appId team and bundle: `ABCDE12345.com.example.app`. */
function appleDocument(appId: string): string {
  return print({ applinks: { details: [{ appIDs: [appId], components: [{ '/': '*' }] }] } });
}

/** The association file of an app on Android. @param fingerprint SHA-256 of the certificate, in pairs of hex digits. */
function androidDocument(packageName: string, fingerprint: string): string {
  const target = {
    namespace: 'android_app',
    package_name: packageName,
    sha256_cert_fingerprints: [fingerprint.toUpperCase()],
  };
  return print([{ relation: ['delegate_permission/common.handle_all_urls'], target }]);
}

/** A document as it is edited. */
function print(document: unknown): string {
  return document === null || document === undefined ? '' : JSON.stringify(document, null, 2);
}

/** Reads what stands in the editor; an empty text is no document. `reason`: why it is no JSON. */
function read(text: string): { document: unknown; reason?: undefined } | { reason: string } {
  if (text.trim() === '') return { document: null };
  try {
    return { document: JSON.parse(text) as unknown };
  } catch (error) {
    return { reason: (error as Error).message };
  }
}
