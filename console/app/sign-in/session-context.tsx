import { createContext, useContext } from 'react';
import type { Session } from '#console/api/types.ts';

const SessionContext = createContext<Session | null>(null);
export const SessionProvider = SessionContext.Provider;

/** @returns the session of a page inside the frame. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('This page needs a session.');
  return session;
}
