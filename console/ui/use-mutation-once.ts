import { useMutation, type UseMutationOptions } from '@tanstack/react-query';
import { useRef } from 'react';

interface MutationOptions<Input, Answer> extends Omit<UseMutationOptions<Answer, Error, Input>, 'mutationFn'> {
  mutationFn: (input: Input) => Promise<Answer>;
}

/**
 * A mutation with `mutateOnce`, which ignores an input that is being sent: a second Enter may come before `isPending` is drawn, since
 * TanStack reports it by a timer.
 */
export function useMutationOnce<Input = void, Answer = unknown>(options: MutationOptions<Input, Answer>) {
  const sending = useRef<{ input: Input }>(undefined);
  const mutation = useMutation({
    ...options,
    async mutationFn(input: Input) {
      try {
        return await options.mutationFn(input);
      } finally {
        if (sending.current?.input === input) sending.current = undefined;
      }
    },
  });
  function mutateOnce(input: Input): void {
    if (sending.current !== undefined && isSameInput(sending.current.input, input)) return;
    sending.current = { input };
    mutation.mutate(input);
  }
  return { ...mutation, mutateOnce };
}

/** Whether two inputs have the same content; files are compared by identity, and all functions count as the same. */
export function isSameInput(one: unknown, other: unknown): boolean {
  return one === other || (!(one instanceof Blob) && JSON.stringify(one) === JSON.stringify(other));
}
