import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiError, issuesByPath } from '#console/api/error.ts';
import { useUiWords } from '#console/i18n/ui.ts';
import { useIsHere } from '#console/ui/browser/use-is-here.ts';
import { forgetFailed, sayDone, sayFailed } from '#console/ui/messages.tsx';
import { isSameInput, useMutationOnce } from '#console/ui/use-mutation-once.ts';

export interface ChangeOptions<Input, Answer> {
  /** @param intent the Idempotency-Key of this change. */
  send: (input: Input, intent: string) => Promise<Answer>;
  /** What is said when it worked; undefined: the page shows it. */
  done?: string | ((answer: Answer, input: Input) => string) | undefined;
  /** What is said where it failed: what was tried, as a sentence. */
  failed: string | ((input: Input) => string);
  /** Paths of the fields that show what is wrong with them, or all; an issue of any other path is said in words. */
  fields?: readonly string[] | 'all';
  /** What the field `name` says where another thing has the name. */
  taken?: string;
  /** Keys of what is read again afterwards. */
  refresh?: readonly QueryKey[];
  /** Called also where the person has left the form. */
  onDone?: (answer: Answer, input: Input) => unknown;
  /** Closes the form or leads away from it, before `onDone`; not called where the person has left it meanwhile. */
  leave?: (answer: Answer, input: Input) => unknown;
  onFailed?: (error: unknown) => unknown;
}

/** A change of a person: it is sent, its end is said, and what it touched is read again. */
export function useChange<Input = void, Answer = unknown>(options: ChangeOptions<Input, Answer>) {
  const { send, done, failed, fields = [], taken, refresh = [], onDone, leave, onFailed } = options;
  const words = useUiWords();
  const queries = useQueryClient();
  const isHere = useIsHere();
  // The same input sent again is the same intent until the API has answered; another input is another one.
  const intent = useRef<{ key: string; input: Input }>(undefined);
  const triedOf = (input: Input): string => (typeof failed === 'string' ? failed : failed(input));
  const mutation = useMutationOnce({
    mutationFn: (input: Input) => {
      if (intent.current !== undefined && !isSameInput(intent.current.input, input)) intent.current = undefined;
      intent.current ??= { key: crypto.randomUUID(), input };
      return send(input, intent.current.key);
    },
    onSuccess: async (answer, input) => {
      intent.current = undefined;
      forgetFailed(triedOf(input));
      if (done !== undefined) sayDone(typeof done === 'string' ? done : done(answer, input));
      if (isHere()) await leave?.(answer, input);
      await onDone?.(answer, input);
    },
    onError: async (error, input) => {
      const isPassing = error instanceof ApiError && error.isPassing;
      // A refused call is another intent than the corrected one; a call whose answer got lost is still the same.
      if (!isPassing) intent.current = undefined;
      const paths = Object.keys(issuesOf(error, taken));
      const isShown = (path: string): boolean => fields === 'all' || fields.some((field) => isOf(field, path));
      if (paths.length === 0 || !paths.every(isShown)) {
        const again = { label: words.tryAgain, onPress: () => mutation.mutate(input) };
        // A limit of the plan, for instance, does not pass by itself.
        sayFailed(triedOf(input), error, isPassing ? again : undefined);
      }
      await onFailed?.(error);
    },
    onSettled(_answer, error) {
      const refreshed = Promise.all(refresh.map((queryKey) => queries.invalidateQueries({ queryKey })));
      // A refused form takes the next Enter at once, however long the reading takes.
      return error === null ? refreshed : undefined;
    },
  });
  return {
    /** Sends the change; the same one is sent again only once it was answered. */
    send: mutation.mutateOnce,
    isPending: mutation.isPending,
    /** What the API answered to the last one. */
    answer: mutation.data,
    /** What is wrong with the fields, by path. */
    issues: issuesOf(mutation.error, taken),
  };
}

function issuesOf(error: unknown, taken: string | undefined): Record<string, string> {
  const isTaken = taken !== undefined && error instanceof ApiError && error.code === 'ALREADY_EXIST';
  return isTaken ? { name: taken } : issuesByPath(error);
}

function isOf(field: string, path: string): boolean {
  return path === field || path.startsWith(`${field}.`);
}
