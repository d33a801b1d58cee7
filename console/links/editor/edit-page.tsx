import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCanGoBack, useParams, useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { Tagged } from '#console/api/client.ts';
import { ApiError, issuesByPath } from '#console/api/error.ts';
import { createLink, linkQuery, refreshAfterOwnChange, updateLink } from '#console/api/links/links.ts';
import type { ShortLink } from '#console/api/types.ts';
import { useKeys } from '#console/app/keys.ts';
import { useTitle } from '#console/app/places/title.ts';
import { useLinkWords } from '#console/links/words.ts';
import { shownShortUrl } from '#console/links/short-url.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { Button } from '#console/ui/button.tsx';
import { copyText } from '#console/ui/text/copy.tsx';
import { forgetFailed, sayDone, sayFailed } from '#console/ui/messages.tsx';
import { LinkGone } from '#console/links/gone.tsx';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { Notice } from '#console/ui/page/states.tsx';
import { Conflict } from './conflict.tsx';
import { bodyOf, copyOf, type Draft, draftOf, patchOf } from './draft.ts';
import { EditorForm } from './form.tsx';
import { conflictsOf, type Issues, remainingIssues } from './compare.ts';
import { forgetDraft, keepDraft, readKeptDraft } from './kept-drafts.ts';
import { useEditorWords } from './words.ts';
import css from './editor.module.css';
import layout from '#console/ui/page/layout.module.css';

/** /links/<id>/edit, and the same for a copy of the link. */
export function EditPage() {
  const { id } = useParams({ from: '/frame/links/$id/edit' });
  const { copy } = useSearch({ from: '/frame/links/$id/edit' });
  return (
    <Loaded
      query={useQuery({ ...linkQuery(id), staleTime: Infinity, gcTime: 0 })}
      rows={5}
      height={4}
      gone={<LinkGone />}
    >
      {(link) => <Editor key={`${id} ${copy ?? ''}`} id={id} isCopy={copy !== undefined} loaded={link} />}
    </Loaded>
  );
}

function Editor({ id, isCopy, loaded }: { id: string; isCopy: boolean; loaded: Tagged<ShortLink> }) {
  const words = useEditorWords();
  const linkWords = useLinkWords();
  const ui = useUiWords();
  const queries = useQueryClient();
  const router = useRouter();
  const canGoBack = useCanGoBack();
  const draftName = isCopy ? `copy-${id}` : id;
  // What the changes are compared with: the link as this person saw it.
  const [base, setBase] = useState(loaded);
  const before = isCopy ? copyOf(base.data) : draftOf(base.data);
  const [kept] = useState(() => readKeptDraft(draftName));
  const [draft, setDraft] = useState<Draft>(kept ?? before);
  const [issues, setIssues] = useState<Issues>({});
  const [isPending, setPending] = useState(false);
  const [intent, setIntent] = useState(() => crypto.randomUUID());
  const [theirs, setTheirs] = useState<Tagged<ShortLink>>();

  function change(part: Partial<Draft>): void {
    const next = { ...draft, ...part };
    setDraft(next);
    setIssues((shown) => remainingIssues(shown, draft, next));
    setIntent(crypto.randomUUID());
    keepDraft(draftName, next);
  }

  function leave(): void {
    forgetDraft(draftName);
    // To the page before, where there is one of the console.
    if (canGoBack) router.history.back();
    else void router.navigate({ to: '/links/$id', params: { id } });
  }

  async function save(event?: FormEvent, over?: Tagged<ShortLink>): Promise<void> {
    event?.preventDefault();
    if (isPending) return;
    const patch = patchOf(before, draft);
    if (!isCopy && Object.keys(patch).length === 0) {
      sayDone(words.nothingChanged);
      return leave();
    }
    setPending(true);
    try {
      const link = isCopy
        ? await createLink(bodyOf(draft), intent)
        : (await updateLink(id, patch, (over ?? base).etag)).data;
      forgetFailed(linkWords.notSaved);
      if (isCopy && (await copyText(link.originUrl))) sayDone(linkWords.copiedAndMade(link.originUrl));
      else sayDone(linkWords.saved);
      for (const warning of link.warnings ?? []) sayDone(`${words.warning} ${warning.path} ${warning.message}`);
      void refreshAfterOwnChange(queries);
      leave();
    } catch (error) {
      setPending(false);
      setIntent(crypto.randomUUID());
      if (error instanceof ApiError && (error.code === 'CONFLICT' || error.status === 412)) {
        const latest = await queries.fetchQuery({ ...linkQuery(id), staleTime: 0 });
        // Changes of other fields stand beside each other.
        if (conflictsOf(before, draft, draftOf(latest.data)).length === 0) return await save(undefined, latest);
        setTheirs(latest);
        return;
      }
      const found = issuesByPath(error);
      setIssues(found);
      if (Object.keys(found).length === 0)
        sayFailed(linkWords.notSaved, error, { label: ui.tryAgain, onPress: () => void save() });
    }
  }

  useKeys({ 'mod+Enter': () => void save() });

  const { data } = base;
  const title = isCopy ? words.newLink : words.editLink(shownShortUrl(data.originUrl));
  useTitle(title);
  return (
    <form onSubmit={(event) => void save(event)} className={layout.page}>
      <h1>{title}</h1>
      {kept !== undefined && (
        <Notice tone="quiet">
          {words.restored}{' '}
          <Button
            size="small"
            onPress={() => {
              forgetDraft(draftName);
              setDraft(before);
            }}
          >
            {words.discard}
          </Button>
        </Notice>
      )}
      <EditorForm draft={draft} onChange={change} issues={issues} saved={isCopy ? undefined : data} />
      <div className={css.foot}>
        <Button variant="plain" onPress={leave}>
          {ui.cancel}
        </Button>
        <Button variant="primary" type="submit" isPending={isPending}>
          {ui.save}
        </Button>
      </div>
      {theirs !== undefined && (
        <Conflict
          id={id}
          fields={conflictsOf(before, draft, draftOf(theirs.data))}
          mine={draft}
          theirs={draftOf(theirs.data)}
          onTheirs={() => {
            setBase(theirs);
            setDraft(draftOf(theirs.data));
            forgetDraft(draftName);
            setTheirs(undefined);
          }}
          onMine={() => {
            setTheirs(undefined);
            void save(undefined, theirs);
          }}
          onClose={() => setTheirs(undefined)}
        />
      )}
    </form>
  );
}
