import { readCampaign } from './destination/campaign-of.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { issuesByPath } from '#console/api/error.ts';
import { createLink, refreshAfterOwnChange } from '#console/api/links/links.ts';
import { useKeys } from '#console/app/keys.ts';
import { Button } from '#console/ui/button.tsx';
import { copyText } from '#console/ui/text/copy.tsx';
import { Dialog } from '#console/ui/form/dialog.tsx';
import { forgetFailed, sayDone, sayFailed } from '#console/ui/messages.tsx';
import { Notice } from '#console/ui/page/states.tsx';
import { isManyAddresses, keepLines } from '#console/links/many/lines.ts';
import { useLinkWords } from '#console/links/words.ts';
import { bodyOf, type Draft, emptyDraft } from './draft.ts';
import { EditorForm } from './form.tsx';
import { type Issues, remainingIssues } from './compare.ts';
import { forgetDraft, keepDraft, readKeptDraft } from './kept-drafts.ts';
import { useEditorWords } from './words.ts';

const draftName = 'new';

/** The editor of a new link, over any page. Enter makes the link, copies it and closes. */
export default function NewLinkDialog({ address }: { address: string }) {
  const words = useEditorWords();
  const linkWords = useLinkWords();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [kept] = useState(() => (address === '' ? readKeptDraft(draftName) : undefined));
  const [draft, setDraft] = useState<Draft>(kept ?? { ...emptyDraft(), ...readCampaign(address, emptyDraft()) });
  const [issues, setIssues] = useState<Issues>({});
  const [isPending, setPending] = useState(false);
  // A new key after each change: the same body sent twice makes one link, another body another one.
  const [intent, setIntent] = useState(() => crypto.randomUUID());

  const close = (): void => void navigate({ to: '.', search: (before) => ({ ...before, new: undefined }) });

  /** Goes to the page that makes many links, with a list of addresses. */
  function openMany(text: string): void {
    if (text !== '') keepLines(text);
    void navigate({ to: '/links/many' });
  }

  function change(part: Partial<Draft>): void {
    const next = { ...draft, ...part };
    setDraft(next);
    setIssues((shown) => remainingIssues(shown, draft, next));
    setIntent(crypto.randomUUID());
    keepDraft(draftName, next);
  }

  async function save(event?: FormEvent): Promise<void> {
    event?.preventDefault();
    if (isPending) return;
    setPending(true);
    try {
      const link = await createLink(bodyOf(draft), intent);
      const isCopied = await copyText(link.originUrl);
      forgetDraft(draftName);
      close();
      forgetFailed(linkWords.notMade);
      sayDone(isCopied ? linkWords.copiedAndMade(link.originUrl) : linkWords.made1(link.originUrl));
      for (const warning of link.warnings ?? []) sayDone(`${words.warning} ${warning.path} ${warning.message}`);
      await refreshAfterOwnChange(queries);
    } catch (error) {
      const found = issuesByPath(error);
      setIssues(found);
      if (Object.keys(found).length === 0) sayFailed(linkWords.notMade, error);
      setIntent(crypto.randomUUID());
      setPending(false);
    }
  }

  useKeys({ 'mod+Enter': () => void save() }, { inDialogs: true });

  return (
    <Dialog
      title={words.newLink}
      isWide
      onClose={close}
      actions={
        <>
          {kept !== undefined && (
            <Button
              variant="plain"
              onPress={() => {
                forgetDraft(draftName);
                setDraft(emptyDraft());
              }}
            >
              {words.discard}
            </Button>
          )}
          <Button variant="plain" onPress={() => openMany('')}>
            {words.several}
          </Button>
          <Button
            variant="primary"
            type="submit"
            form="new-link"
            isPending={isPending}
            isDisabled={draft.destination.trim() === ''}
          >
            {words.saveAndCopy}
          </Button>
        </>
      }
    >
      {kept !== undefined && <Notice tone="quiet">{words.restored}</Notice>}
      <form
        id="new-link"
        onSubmit={(event) => void save(event)}
        onPasteCapture={(event) => {
          const text = event.clipboardData.getData('text/plain');
          if (!(event.target instanceof HTMLInputElement) || !isManyAddresses(text)) return;
          event.preventDefault();
          openMany(text);
        }}
      >
        <EditorForm draft={draft} onChange={change} issues={issues} />
        <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
      </form>
    </Dialog>
  );
}
