import { useSyncExternalStore } from 'react';
import type { ProofMethod } from '#console/api/people/second-factors.ts';

// What the client of the API tells the frame: whether the API answers, and whether a call waits for a sign-in.

interface Waiting {
  resolve(): void;
  reject(reason: Error): void;
}

interface State {
  isReached: boolean;
  /** Calls that wait until the person signed in again. */
  waiting: readonly Waiting[];
  /** Calls that wait until the person confirmed that it is them, by one of some methods. */
  confirming: readonly Waiting[];
  confirmationMethods: readonly ProofMethod[];
}

let state: State = { isReached: true, waiting: [], confirming: [], confirmationMethods: [] };
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

/** Opens the question for a confirmation over the page. @returns resolves once the person confirmed. */
export function confirm(confirmationMethods: readonly ProofMethod[]): Promise<void> {
  return new Promise((resolve, reject) =>
    set({ ...state, confirming: [...state.confirming, { resolve, reject }], confirmationMethods }),
  );
}

/** Lets the calls that wait for a confirmation go on, or ends them with a reason. */
export function settleConfirmation(reason?: Error): void {
  const { confirming } = state;
  set({ ...state, confirming: [] });
  for (const { resolve, reject } of confirming) {
    if (reason === undefined) resolve();
    else reject(reason);
  }
}

/** @returns the state of the connection, as it changes; `confirmationMethods` is undefined where nothing has to be confirmed. */
export function useConnection(): {
  isReached: boolean;
  isSignInNeeded: boolean;
  confirmationMethods: readonly ProofMethod[] | undefined;
} {
  const now = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
  const confirmationMethods = now.confirming.length > 0 ? now.confirmationMethods : undefined;
  return { isReached: now.isReached, isSignInNeeded: now.waiting.length > 0, confirmationMethods };
}
