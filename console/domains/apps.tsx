import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Domain, updateDomain } from '#console/api/domains.ts';
import { issuesByPath } from '#console/api/error.ts';
import { useCan } from '#console/app/can.ts';
import { Button } from '#console/ui/button.tsx';
import { TextArea, TextField } from '#console/ui/field.tsx';
import { sayDone, sayFailed } from '#console/ui/messages.tsx';
import { androidDocument, appleDocument, print, read } from './documents.ts';
import { useDomainWords } from './words.ts';
import css from './domains.module.css';

type FileName = 'appleAppSiteAssociation' | 'androidAssetLinks';

/** The files by which phones open links of the domain in apps. */
export function Apps({ domain }: { domain: Domain }) {
  const words = useDomainWords();
  const [appId, setAppId] = useState('');
  const [packageName, setPackageName] = useState('');
  const [fingerprint, setFingerprint] = useState('');
  return (
    <section className={css.panel} aria-label={words.apps}>
      <h2>{words.apps}</h2>
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
    </section>
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
  const queries = useQueryClient();
  const canChange = useCan('domains', 'update');
  const saved = print(domain[name]);
  const [text, setText] = useState(saved);
  const content = read(text);
  const save = useMutation({
    mutationFn: (document: unknown) => updateDomain(domain.id, { [name]: document }),
    onSuccess: (changed) => {
      setText(print(changed[name]));
      sayDone(words.saved);
      void queries.invalidateQueries({ queryKey: ['domains'] });
    },
    onError: (error) => {
      if (issueOf(error, name) === undefined) sayFailed(words.notSaved, error);
    },
  });
  const problem = content.reason === undefined ? issueOf(save.error, name) : words.notJson(content.reason);
  return (
    <form
      className={css.file}
      onSubmit={(event) => {
        event.preventDefault();
        if (content.reason === undefined) save.mutate(content.document);
      }}
    >
      <TextArea label={label} value={text} onChange={setText} rows={8} error={problem} />
      <div className={css.actions}>
        <Button
          type="submit"
          size="small"
          isPending={save.isPending}
          isDisabled={!canChange || content.reason !== undefined || text === saved}
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
    </form>
  );
}

/** The API's message about a file, at any place in it. */
function issueOf(error: unknown, name: FileName): string | undefined {
  if (error === null) return undefined;
  return Object.entries(issuesByPath(error)).find(([path]) => path === name || path.startsWith(`${name}.`))?.[1];
}
