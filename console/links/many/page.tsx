import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { usableDomainsQuery } from '#console/api/links/labels.ts';
import { defaultDomainOf, servingDomainsOf } from '#console/api/links/usable-domains.ts';
import { refreshAfterOwnChange } from '#console/api/links/links.ts';
import { useRefusal } from '#console/app/can.ts';
import { lastSearch } from '#console/app/places/use-page-search.ts';
import { useTitle } from '#console/app/places/title.ts';
import { useSession } from '#console/app/sign-in/session-context.tsx';
import { FolderField } from '#console/links/editor/sections/folder-field.tsx';
import { TagsField } from '#console/links/editor/sections/tags-field.tsx';
import { useEditorWords } from '#console/links/editor/words.ts';
import { shownShortUrl } from '#console/links/short-url.ts';
import { Button } from '#console/ui/button.tsx';
import { CopyButton, copyText } from '#console/ui/text/copy.tsx';
import { TextArea } from '#console/ui/form/field.tsx';
import { Select } from '#console/ui/form/list-field.tsx';
import { Form } from '#console/ui/form/form.tsx';
import { sayDone } from '#console/ui/messages.tsx';
import { Chip, Notice } from '#console/ui/page/states.tsx';
import { keepText, mostLines, readKeptLines } from './lines.ts';
import { forgetMade, keepMade, readMade } from './made.ts';
import { makeLinks, type Outcome } from './make.ts';
import { type LinkRow, readRows, type Shared } from './rows.ts';
import { useManyWords } from './words.ts';
import css from './many.module.css';
import layout from '#console/ui/page/layout.module.css';

/** /links/many: addresses that were typed or pasted, one a line, become links. */
export default function ManyLinksPage() {
  const words = useManyWords();
  const editor = useEditorWords();
  const queries = useQueryClient();
  const refusal = useRefusal('shortLinks', 'create');
  const { organization } = useSession();
  useTitle(words.title);
  const [text, setText] = useState(readKeptLines);
  const [shared, setShared] = useState<Shared>({ domain: '', folderId: '', tags: [] });
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(() => readMade(organization.id));
  const [isPending, setPending] = useState(false);
  const { data: domains = [] } = useQuery(usableDomainsQuery);
  const primary = defaultDomainOf(domains)?.domain ?? '';
  const rows = useMemo(() => readRows(text, shared), [text, shared]);
  const open = rows.filter(({ key, problem }) => problem === undefined && outcomes.get(key)?.shortUrl === undefined);
  const made = rows.flatMap(({ key }) => outcomes.get(key)?.shortUrl ?? []);
  const failed = rows.filter(({ key }) => outcomes.get(key)?.error !== undefined).length;
  const isTooLong = rows.length > mostLines;

  async function make(): Promise<void> {
    setPending(true);
    let count = 0;
    await makeLinks(open, (found) => {
      count += [...found.values()].filter(({ shortUrl }) => shortUrl !== undefined).length;
      // The person may be on another page by now.
      keepMade(organization.id, found);
      setOutcomes((before) => new Map([...before, ...found]));
    });
    setPending(false);
    if (count > 0) sayDone(words.done(count));
    await refreshAfterOwnChange(queries);
  }

  return (
    <article className={layout.page}>
      <p className={layout.back}>
        <Link to="/links" search={lastSearch('/links')}>
          {words.back}
        </Link>
      </p>
      <h1>{words.title}</h1>
      <Form
        className={`${layout.stack} ${layout.narrow}`}
        isReady={open.length > 0 && !isTooLong && !isPending}
        onSubmit={() => void make()}
      >
        <TextArea
          label={words.addresses}
          hint={words.addressesHint}
          rows={8}
          value={text}
          onChange={(next) => {
            setText(next);
            keepText(next);
            // Another list begins.
            if (next.trim() !== '') return;
            forgetMade();
            setOutcomes(new Map());
          }}
          placeholder={'https://example.com/spring\nhttps://example.com/summer summer'}
          autoFocus
        />
        {isTooLong && (
          <Notice tone="warn">
            {words.tooMany(mostLines)} <Link to="/imports/new">{words.byImport}</Link>
          </Notice>
        )}
        <fieldset className={layout.fields}>
          <legend>{words.shared}</legend>
          <Select
            label={editor.domain}
            value={shared.domain === '' ? primary : shared.domain}
            onChange={(domain) => setShared({ ...shared, domain: domain === primary ? '' : domain })}
            choices={servingDomainsOf(domains).map(({ domain }) => ({ id: domain, label: domain }))}
          />
          <FolderField
            folderId={shared.folderId}
            onChange={(folderId) => setShared({ ...shared, folderId })}
            error={undefined}
          />
          <TagsField tags={shared.tags} onChange={(tags) => setShared({ ...shared, tags })} error={undefined} />
        </fieldset>
        <div className={layout.actions}>
          <Button
            type="submit"
            variant="primary"
            isPending={isPending}
            isDisabled={open.length === 0 || isTooLong}
            refusal={refusal}
          >
            {words.make(open.length)}
          </Button>
          {made.length > 0 && (
            <Button
              icon="copy"
              onPress={() => void copyAll(made).then((isCopied) => isCopied && sayDone(words.copied(made.length)))}
            >
              {words.copyAll}
            </Button>
          )}
        </div>
        {failed > 0 && !isPending && (
          <Notice tone="bad" icon="warning">
            <p>{words.failed(failed)}</p>
            <p>{words.failedHint}</p>
          </Notice>
        )}
      </Form>
      {rows.length > 0 && <Preview rows={rows.slice(0, mostLines)} outcomes={outcomes} primary={primary} />}
    </article>
  );
}

const copyAll = (made: readonly string[]): Promise<boolean> => copyText(made.join('\n'));

interface PreviewProps {
  rows: readonly LinkRow[];
  outcomes: ReadonlyMap<string, Outcome>;
  /** Name of the domain of rows that name none. */
  primary: string;
}

/** Each line as the link that it becomes or became, with what is wrong at its row. */
function Preview({ rows, outcomes, primary }: PreviewProps) {
  const words = useManyWords();
  const { installation } = useSession();
  const edge = new URL(installation.edgeUrl);
  const hostOf = (domain: string): string => (domain === edge.hostname ? edge.host : domain);
  return (
    <section aria-label={words.preview}>
      <h2>{words.preview}</h2>
      <table className={`${layout.table} ${css.table}`}>
        <thead className="wide-only">
          <tr>
            <th scope="col">{words.destination}</th>
            <th scope="col">{words.shortLink}</th>
            <th scope="col">{words.state}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, draft, problem }) => {
            const outcome = outcomes.get(key);
            const error = problem === undefined ? outcome?.error : words.problems[problem];
            const shortUrl = outcome?.shortUrl;
            return (
              <tr key={key}>
                <td>
                  {draft.destination}
                  <Campaign draft={draft} />
                </td>
                <td>
                  {shortUrl === undefined ? (
                    <>
                      {hostOf(draft.domain === '' ? primary : draft.domain)}/
                      {draft.slug === '' ? <span className="quiet">{words.random}</span> : draft.slug}
                    </>
                  ) : (
                    <span className={css.made}>
                      <a href={shortUrl} target="_blank" rel="noreferrer">
                        {shownShortUrl(shortUrl)}
                      </a>
                      <CopyButton text={shortUrl} label={shownShortUrl(shortUrl)} />
                    </span>
                  )}
                </td>
                <td>
                  {error !== undefined ? (
                    <Chip tone="bad">{error}</Chip>
                  ) : shortUrl === undefined ? (
                    <Chip tone="quiet">{words.isReady}</Chip>
                  ) : (
                    <Chip tone="good">{words.made}</Chip>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

/** UTM values that were read out of the address. */
function Campaign({ draft }: { draft: LinkRow['draft'] }) {
  const { utm } = useEditorWords();
  const values = (Object.keys(utm) as (keyof typeof utm)[]).filter((name) => draft[name] !== '');
  if (values.length === 0) return null;
  return <div className="quiet">{values.map((name) => `${utm[name]}: ${draft[name]}`).join(' · ')}</div>;
}
