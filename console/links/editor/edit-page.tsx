import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCanGoBack, useParams, useRouter, useSearch } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { Tagged } from '#console/api/client.ts';
import { ApiError, issuesByPath } from '#console/api/error.ts';
import { linkQuery, refreshAfterOwnChange, updateLink } from '#console/api/links/links.ts';
import type { ChangedLink, ShortLink } from '#console/api/types.ts';
import { useKeys } from '#console/app/keys.ts';
import { useTitle } from '#console/app/places/title.ts';
import { useLinkWords } from '#console/links/words.ts';
import { shownShortUrl } from '#console/links/short-url.ts';
import { Button } from '#console/ui/button.tsx';
import { changeAndFocus } from '#console/ui/browser/focus.ts';
import { useIsHere } from '#console/ui/browser/use-is-here.ts';
import { Form } from '#console/ui/form/form.tsx';
import { useChange } from '#console/ui/form/use-change.ts';
import { sayDone } from '#console/ui/messages.tsx';
import { sayWarnings, useMakeLink } from '#console/links/use-make-link.ts';
import { LinkGone } from '#console/links/gone.tsx';
import { late } from '#console/ui/page/late.tsx';
import { Loaded } from '#console/ui/page/loaded.tsx';
import { Notice } from '#console/ui/page/states.tsx';
import { bodyOf, copyOf, draftOf, patchOf } from './draft.ts';
import { EditorForm } from './form.tsx';
import { conflictsOf } from './compare.ts';
import { resumeDraft } from './resume.ts';
import { readKeptDraft, useDraft } from './use-draft.ts';
import { useEditorWords } from './words.ts';
import css from './editor.module.css';
import layout from '#console/ui/page/layout.module.css';

// Two people seldom edit one link.
const Conflict = late(async () => (await import('./conflict.tsx')).Conflict, 'message');

/** /links/<id>/edit, and the same for a copy of the link. */
export default function EditPage() {
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
  const queries = useQueryClient();
  const router = useRouter();
  const canGoBack = useCanGoBack();
  const name = isCopy ? `copy-${id}` : id;
  const [start] = useState(() => {
    const kept = readKeptDraft(name);
    return isCopy ? { draft: kept?.draft, base: loaded } : resumeDraft(kept, loaded);
  });
  // What the changes are compared with: the link as this person saw it.
  const [base, setBase] = useState(start.base);
  const before = isCopy ? copyOf(base.data) : draftOf(base.data);
  const drafting = useDraft(name, before, start.draft, isCopy ? undefined : base);
  const { draft, isRestored, issues, setIssues, change, reset } = drafting;
  const sent = useRef(draft);
  const isHere = useIsHere();
  const [theirs, setTheirs] = useState<Tagged<ShortLink>>();

  // A second Enter would go back another page.
  const hasLeft = useRef(false);

  function leave(): void {
    if (hasLeft.current) return;
    hasLeft.current = true;
    // To the page before, where there is one of the console.
    if (canGoBack) router.history.back();
    else void router.navigate({ to: '/links/$id', params: { id } });
  }

  function cancel(): void {
    drafting.forget();
    leave();
  }

  /** @returns the saved link, or what another caller saved meanwhile in the same fields; changes of others stand beside each other. */
  async function send({
    etag,
  }: Tagged<ShortLink>): Promise<{ saved: Tagged<ChangedLink> } | { theirs: Tagged<ShortLink> }> {
    sent.current = draft;
    try {
      return { saved: await updateLink(id, patchOf(before, draft), etag) };
    } catch (error) {
      if (!(error instanceof ApiError && (error.code === 'CONFLICT' || error.status === 412))) throw error;
      const latest = await queries.fetchQuery({ ...linkQuery(id), staleTime: 0 });
      if (conflictsOf(before, draft, draftOf(latest.data)).length === 0) return send(latest);
      // The question has no page to stand on.
      if (!isHere()) throw error;
      return { theirs: latest };
    }
  }

  const make = useMakeLink({
    body: () => {
      sent.current = draft;
      return bodyOf(draft);
    },
    leave,
    onDone: () => {
      drafting.forgetSaved(sent.current);
      void refreshAfterOwnChange(queries);
    },
    onIssues: setIssues,
  });
  const update = useChange({
    send,
    failed: linkWords.notSaved,
    fields: 'all',
    leave: (answer) => {
      if ('theirs' in answer) return setTheirs(answer.theirs);
      if (draft === sent.current) return leave();
      // What was typed meanwhile is saved next.
      setBase(answer.saved);
      drafting.rebase(answer.saved);
    },
    onDone: (answer) => {
      if ('theirs' in answer) return;
      sayDone(linkWords.saved);
      sayWarnings(answer.saved.data, linkWords.warning);
      drafting.forgetSaved(sent.current);
      void refreshAfterOwnChange(queries);
    },
    onFailed: (error) => setIssues(issuesByPath(error)),
  });

  function save(over = base): void {
    if (hasLeft.current || make.isPending || update.isPending) return;
    if (isCopy) return make.send();
    if (Object.keys(patchOf(before, draft)).length > 0) return update.send(over);
    sayDone(words.nothingChanged);
    cancel();
  }

  function discard(): void {
    setBase(loaded);
    reset(isCopy ? before : draftOf(loaded.data));
  }

  useKeys({ 'mod+Enter': () => save() });

  const { data } = base;
  const title = isCopy ? words.newLink : words.editLink(shownShortUrl(data.originUrl));
  useTitle(title);
  return (
    <Form id="edit-link" className={layout.page} isReady onSubmit={() => save()}>
      <h1>{title}</h1>
      {isRestored && (
        <Notice tone="quiet">
          {words.restored}{' '}
          <Button size="small" onPress={() => changeAndFocus(discard, '#edit-link input')}>
            {words.discard}
          </Button>
        </Notice>
      )}
      <EditorForm draft={draft} onChange={change} issues={issues} saved={isCopy ? undefined : data} />
      <div className={css.foot}>
        <Button variant="plain" onPress={cancel}>
          {words.cancel}
        </Button>
        <Button variant="primary" type="submit" isPending={make.isPending || update.isPending}>
          {words.save}
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
            reset(draftOf(theirs.data));
            setTheirs(undefined);
          }}
          onMine={() => {
            setTheirs(undefined);
            save(theirs);
          }}
          onClose={() => setTheirs(undefined)}
        />
      )}
    </Form>
  );
}
