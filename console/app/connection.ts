import { useSyncExternalStore } from 'react';

// What the client of the API tells the frame: whether the API answers, and whether a call waits for a sign-in.

interface State {
  isReached: boolean;
  /** Calls that wait until the person signed in again. */
  waiting: readonly { resolve(): void; reject(reason: Error): void }[];
}

let state: State = { isReached: true, waiting: [] };
const listeners = new Set<() => void>();

function set(next: State): void {
  state = next;
  for (const listener of listeners) listener();
}

/** Notes whether the latest call reached the API. */
export function noteReach(isReached: boolean): void {
  if (isReached !== state.isReached) set({ ...state, isReached });
}

/** Opens the sign-in over the page. @returns resolves once the person signed in. */
export function signInAgain(): Promise<void> {
  return new Promise((resolve, reject) => set({ ...state, waiting: [...state.waiting, { resolve, reject }] }));
}

/** Lets the waiting calls go on, or ends them with a reason. */
export function settleSignIn(reason?: Error): void {
  const { waiting } = state;
  set({ ...state, waiting: [] });
  for (const { resolve, reject } of waiting) {
    if (reason === undefined) resolve();
    else reject(reason);
  }
}

/** @returns the state of the connection, as it changes. */
export function useConnection(): { isReached: boolean; isSignInNeeded: boolean } {
  const now = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
  return { isReached: now.isReached, isSignInNeeded: now.waiting.length > 0 };
}
