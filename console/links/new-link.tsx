import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { keepTyping } from '#console/ui/browser/keep-typing.ts';

/** The value of `new=` that opens an empty editor. */
const blankNew = 'link';

/** @returns a function that opens the editor over the page, filled in with an address. */
export function useNewLink(): (address: string) => void {
  const navigate = useNavigate();
  return useCallback(
    (address: string) => {
      keepTyping();
      void navigate({
        to: '.',
        search: (before) => ({ ...before, new: address === '' ? blankNew : address }),
      });
    },
    [navigate],
  );
}

/** The address that `new=` of the page's own address asks a link for; undefined: the editor is closed. */
export function readNew(value: string | undefined): string | undefined {
  return value === blankNew ? '' : value;
}
