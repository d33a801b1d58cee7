import type { ProofMethod } from '#console/api/people/second-factors.ts';
import { createStore } from '#console/ui/browser/store.ts';

// What the client of the API tells the frame: whether the API answers, and whether a call waits for a sign-in.

interface State {
  isReached: boolean;
  /** Calls wait for it until the person signed in again. */
  signIn?: PromiseWithResolvers<void>;
  /** Calls wait for it until the person confirmed that it is them, by one of some methods. */
  confirmation?: PromiseWithResolvers<void> & { methods: readonly ProofMethod[] };
}

const connection = createStore<State>({ isReached: true });

/** @returns the state of the connection, as it changes. */
export const useConnection = connection.use;

function change(what: Partial<State>): void {
  connection.set({ ...connection.get(), ...what });
}

/** Notes whether the latest call reached the API. */
export function noteReach(isReached: boolean): void {
  if (isReached !== connection.get().isReached) change({ isReached });
}

/** Opens the sign-in over the page. @returns resolves once the person signed in. */
export function signInAgain(): Promise<void> {
  const signIn = connection.get().signIn ?? Promise.withResolvers<void>();
  change({ signIn });
  return signIn.promise;
}

/** Opens the question for a confirmation over the page. @returns resolves once the person confirmed. */
export function confirm(methods: readonly ProofMethod[]): Promise<void> {
  const waiting = connection.get().confirmation ?? Promise.withResolvers<void>();
  change({ confirmation: { ...waiting, methods } });
  return waiting.promise;
}

/** Lets the calls that wait go on, or ends them with a reason. */
export function settle(what: 'signIn' | 'confirmation', reason?: Error): void {
  const waiting = connection.get()[what];
  change({ [what]: undefined });
  if (reason === undefined) waiting?.resolve();
  else waiting?.reject(reason);
}
