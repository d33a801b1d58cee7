import { useSyncExternalStore } from 'react';
import type { ProofMethod } from '#console/api/people/second-factors.ts';

// What the client of the API tells the frame: whether the API answers, and whether a call waits for a sign-in.

interface State {
  isReached: boolean;
  /** Calls wait for it until the person signed in again. */
  signIn?: PromiseWithResolvers<void>;
  /** Calls wait for it until the person confirmed that it is them, by one of some methods. */
  confirmation?: PromiseWithResolvers<void> & { methods: readonly ProofMethod[] };
}

let state: State = { isReached: true };
const listeners = new Set<() => void>();

function set(change: Partial<State>): void {
  state = { ...state, ...change };
  for (const listener of listeners) listener();
}

/** Notes whether the latest call reached the API. */
export function noteReach(isReached: boolean): void {
  if (isReached !== state.isReached) set({ isReached });
}

/** Opens the sign-in over the page. @returns resolves once the person signed in. */
export function signInAgain(): Promise<void> {
  if (state.signIn === undefined) set({ signIn: Promise.withResolvers<void>() });
  return state.signIn!.promise;
}

/** Opens the question for a confirmation over the page. @returns resolves once the person confirmed. */
export function confirm(methods: readonly ProofMethod[]): Promise<void> {
  set({ confirmation: { ...(state.confirmation ?? Promise.withResolvers<void>()), methods } });
  return state.confirmation!.promise;
}

/** Lets the calls that wait go on, or ends them with a reason. */
export function settle(what: 'signIn' | 'confirmation', reason?: Error): void {
  const waiting = state[what];
  set({ [what]: undefined });
  if (reason === undefined) waiting?.resolve();
  else waiting?.reject(reason);
}

/** @returns the state of the connection, as it changes. */
export function useConnection(): State {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
}
