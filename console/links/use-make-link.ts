import { refusalWords } from '#console/api/refusal.ts';
import { issuesByPath } from '#console/api/error.ts';
import { createLink } from '#console/api/links/links.ts';
import type { ChangedLink } from '#console/api/types.ts';
import { copyText } from '#console/ui/text/copy.tsx';
import { useChange } from '#console/ui/form/use-change.ts';
import { sayDone } from '#console/ui/messages.tsx';
import { useLinkWords } from './words.ts';

interface MakeLinkOptions {
  /** The body of `POST /short-link`, as the form is when it is sent. */
  body: () => Record<string, unknown>;
  onDone?: (link: ChangedLink) => unknown;
  /** As `useChange` has it. */
  leave?: () => unknown;
  /** Gets what is wrong with the fields, by path; the form shows it. */
  onIssues?: (issues: Record<string, string>) => void;
}

/** Makes a link, copies its short URL and says so. */
export function useMakeLink({ body, onDone, leave, onIssues }: MakeLinkOptions) {
  const words = useLinkWords();
  return useChange({
    send: (_input: void, intent) => createLink(body(), intent),
    failed: words.notMade,
    fields: 'all',
    leave,
    onDone: async (link) => {
      const isCopied = await copyText(link.originUrl);
      sayDone(isCopied ? words.copiedAndMade(link.originUrl) : words.made1(link.originUrl));
      sayWarnings(link, words.warning);
      await onDone?.(link);
    },
    onFailed: (error) => onIssues?.(issuesByPath(error)),
  });
}

/** Says what the API remarks about a link that it saved all the same. */
export function sayWarnings({ warnings = [] }: ChangedLink, head: string): void {
  for (const { path, message } of warnings) sayDone(`${head} ${refusalWords(message, path)}`);
}
