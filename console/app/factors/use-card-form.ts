import { ApiError, issuesByPath, messageOf } from '#console/api/error.ts';
import type { ProofMethod } from '#console/api/people/second-factors.ts';
import { useMutationOnce } from '#console/ui/use-mutation-once.ts';

/** A sign-in whose password was right. */
interface Step {
  token: string;
  methods: readonly ProofMethod[];
}

/** @returns the second step that an error asks for; undefined: it is another error. */
function stepOf(error: unknown): Step | undefined {
  if (!(error instanceof ApiError) || error.code !== 'SECOND_FACTOR_REQUIRED') return undefined;
  return { token: error.token ?? '', methods: error.methods ?? [] };
}

/** The change that a form on a card sends, such as a sign-in. The card itself shows what went wrong. */
export function useCardForm<Input = void>(change: (input: Input) => Promise<unknown>) {
  const { mutateOnce, isPending, isSuccess, error, variables, reset } = useMutationOnce({
    mutationFn: change,
    // What was sent has a password: it is forgotten with the form.
    gcTime: 0,
  });
  const step = stepOf(error);
  const issues = step === undefined ? issuesByPath(error) : {};
  const isOther = error !== null && step === undefined && Object.keys(issues).length === 0;
  return {
    send: mutateOnce,
    isPending,
    /** Whether it is under way or worked: the card is left then, and another Enter sends nothing. */
    isSent: isPending || isSuccess,
    /** The last error, and what was sent. */
    error,
    input: variables,
    /** What is wrong with the fields, by path. */
    issues,
    /** What an error says that is about no field. */
    problem: isOther ? messageOf(error) : undefined,
    step,
    reset,
  };
}
