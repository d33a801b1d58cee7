import { useRouterState } from '@tanstack/react-router';
import { useState } from 'react';
import { useUiWords } from '#console/i18n/ui.ts';
import { Notice } from '#console/ui/page/states.tsx';
import { findUnread, parseSearch } from './search.ts';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** What the address of the page may hold. */
    parameters?: object;
  }
}

// The frame reads it.
const ofFrame = { new: { read: String } };

// The address that was opened, before the router takes out of it what the page does not understand.
const { pathname, search } = window.location;

/** Says which parts of the opened address the page does not understand, until the person goes on: it shows something else than they ask for. */
export function Unread({ className }: { className: string | undefined }) {
  const words = useUiWords();
  const parameters = useRouterState({ select: ({ matches }) => matches.at(-1)?.staticData.parameters });
  const step = useRouterState({ select: ({ location }) => location.state.__TSR_index });
  const [opened] = useState({ step, search: window.location.pathname === pathname ? search : '' });
  if (parameters === undefined || step !== opened.step) return null;
  const names = findUnread({ ...parameters, ...ofFrame }, parseSearch(opened.search));
  if (names.length === 0) return null;
  return (
    <div className={className}>
      <Notice tone="warn">{words.unread(names.join(', '))}</Notice>
    </div>
  );
}
