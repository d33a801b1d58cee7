import { readCampaign } from './destination/campaign-of.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { refreshAfterOwnChange } from '#console/api/links/links.ts';
import { useKeys } from '#console/app/keys.ts';
import { Button } from '#console/ui/button.tsx';
import { changeAndFocus } from '#console/ui/browser/focus.ts';
import { Dialog } from '#console/ui/form/dialog.tsx';
import { Notice } from '#console/ui/page/states.tsx';
import { isManyAddresses, keepLines } from '#console/links/many/lines.ts';
import { useMakeLink } from '#console/links/use-make-link.ts';
import { bodyOf, emptyDraft } from './draft.ts';
import { EditorForm } from './form.tsx';
import { readKeptDraft, useDraft } from './use-draft.ts';
import { useEditorWords } from './words.ts';

/** The editor of a new link, over any page. Enter makes the link, copies it and closes. */
export default function NewLinkDialog({ address }: { address: string }) {
  const words = useEditorWords();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const start = { ...emptyDraft(), ...readCampaign(address, emptyDraft()) };
  const [kept] = useState(() => (address === '' ? readKeptDraft('new')?.draft : undefined));
  const { draft, isRestored, issues, setIssues, change, reset, forgetSaved } = useDraft('new', start, kept);
  const sent = useRef(draft);
  const make = useMakeLink({
    body: () => {
      sent.current = draft;
      return bodyOf(draft);
    },
    onDone: () => {
      forgetSaved(sent.current);
      return refreshAfterOwnChange(queries);
    },
    leave: () => close(),
    onIssues: setIssues,
  });

  // In place of the open dialog, which Back would open again.
  const close = (): void =>
    void navigate({ to: '.', search: (before) => ({ ...before, new: undefined }), replace: true });
  const save = (): void => {
    if (!make.isPending) make.send();
  };

  /** Goes to the page that makes many links, with a list of addresses. */
  function openMany(text: string): void {
    if (text !== '') keepLines(text);
    void navigate({ to: '/links/many', replace: true });
  }

  useKeys({ 'mod+Enter': save }, { inDialogs: true });

  return (
    <Dialog
      title={words.newLink}
      isWide
      onClose={close}
      actions={
        <>
          {isRestored && (
            <Button variant="plain" onPress={() => changeAndFocus(() => reset(emptyDraft()), '#new-link input')}>
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
            isPending={make.isPending}
            isDisabled={draft.destination.trim() === ''}
          >
            {words.saveAndCopy}
          </Button>
        </>
      }
    >
      {isRestored && <Notice tone="quiet">{words.restored}</Notice>}
      <form
        id="new-link"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
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
