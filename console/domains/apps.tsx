import { type ReactNode, useState } from 'react';
import { type Domain, updateDomain } from '#console/api/domains.ts';
import { useRefusal } from '#console/app/can.ts';
import { Button } from '#console/ui/button.tsx';
import { TextArea, TextField } from '#console/ui/form/field.tsx';
import { Panel } from '#console/ui/page/panel.tsx';
import { useDomainWords } from './words.ts';
import css from './domains.module.css';
import layout from '#console/ui/page/layout.module.css';
import { Form, useTexts } from '#console/ui/form/form.tsx';
import { useChange } from '#console/ui/form/use-change.ts';

type FileName = 'appleAppSiteAssociation' | 'androidAssetLinks';

/** The files by which phones open links of the domain in apps. */
export function Apps({ domain }: { domain: Domain }) {
  const words = useDomainWords();
  const { texts, field } = useTexts({ appId: '', packageName: '', fingerprint: '' });
  const appId = texts.appId.trim();
  const packageName = texts.packageName.trim();
  const fingerprint = texts.fingerprint.trim();
  return (
    <Panel title={words.apps}>
      <p className="quiet">{words.appsText}</p>
      <div className={css.files}>
        <AppFile
          domain={domain}
          name="appleAppSiteAssociation"
          label={words.apple}
          usual={appId === '' ? undefined : appleDocument(appId)}
        >
          <TextField
            label={words.appleId}
            {...field('appId')}
            placeholder="ABCDE12345.com.example.app"
            autoComplete="off"
          />
        </AppFile>
        <AppFile
          domain={domain}
          name="androidAssetLinks"
          label={words.android}
          usual={packageName === '' || fingerprint === '' ? undefined : androidDocument(packageName, fingerprint)}
        >
          <TextField
            label={words.androidPackage}
            {...field('packageName')}
            placeholder="com.example.app"
            autoComplete="off"
          />
          <TextField
            label={words.androidPrint}
            {...field('fingerprint')}
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
  /** The document of the usual case; undefined: its fields are not filled in. */
  usual: string | undefined;
  /** The fields of the usual case. */
  children: ReactNode;
}

function AppFile({ domain, name, label, usual, children }: AppFileProps) {
  const words = useDomainWords();
  const refusal = useRefusal('domains', 'update');
  const saved = print(domain[name]);
  const [text, setText] = useState(saved);
  const { document, wrong } = read(text);
  const save = useChange({
    send: () => updateDomain(domain.id, { [name]: document }),
    done: words.saved,
    failed: words.notSaved,
    fields: [name],
    refresh: [['domains']],
    onDone: (changed) => setText(print(changed[name])),
  });
  // The API's message about a file, at any place in it.
  const [issue] = Object.values(save.issues);
  const problem = wrong === undefined ? issue : words.notJson(wrong);
  return (
    <Form className={css.file} isReady={wrong === undefined} onSubmit={save.send}>
      <TextArea label={label} value={text} onChange={setText} rows={8} error={problem} />
      <div className={layout.actions}>
        <Button
          type="submit"
          size="small"
          isPending={save.isPending}
          refusal={refusal}
          isDisabled={wrong !== undefined || text === saved}
        >
          {words.save}
        </Button>
        <Button size="small" isDisabled={wrong !== undefined} onPress={() => setText(print(document))}>
          {words.format}
        </Button>
      </div>
      <details>
        <summary>{words.usual}</summary>
        <div className={css.usual}>
          {children}
          <div>
            <Button size="small" isDisabled={usual === undefined} onPress={() => setText(usual ?? '')}>
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

/** Reads what stands in the editor; an empty text is no document. `wrong`: why it is no JSON. */
function read(text: string): { document?: unknown; wrong?: string } {
  if (text.trim() === '') return { document: null };
  try {
    return { document: JSON.parse(text) as unknown };
  } catch (error) {
    return { wrong: (error as Error).message };
  }
}
