import { afterAll, beforeAll } from 'vitest';

/** Options of a fixture; a function is read when the tests start, so that it can name fixtures written above. */
export type Late<Options> = Options | (() => Options | Promise<Options>);

/**
 * Starts something before the tests of a file, or of a `describe`, and disposes of it after them. Fixtures start in the order
 * in which they are written and end in the reverse order.
 * @returns a view of what `start` resolves with, for plain objects: private fields of classes are out of its reach.
 * @throws where the view is read before the tests start.
 */
export function useFixture<T extends object>(start: () => T | Promise<T>): T {
  let current: Partial<AsyncDisposable> & T;
  beforeAll(async () => {
    current = await start();
  });
  afterAll(() => current?.[Symbol.asyncDispose]?.());
  const started = (): T => {
    if (current === undefined)
      throw new Error('A fixture is read before the tests start: read it in a test or a hook.');
    return current;
  };
  return new Proxy({} as T, {
    get: (_, name) => Reflect.get(started(), name) as unknown,
    set: (_, name, value) => Reflect.set(started(), name, value),
    has: (_, name) => Reflect.has(started(), name),
    ownKeys: () => Reflect.ownKeys(started()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(started(), name),
    defineProperty: (_, name, descriptor) => Reflect.defineProperty(started(), name, descriptor),
  });
}

/** While files that share something follow each other, the next one begins sooner. */
const lingerMs = 20_000;

/**
 * Starts something that the files of a test process share, at the first of them; it ends a while after the last: processes that
 * only wait take three hundredths of a processor each.
 * @returns what `useFixture` starts.
 */
export function shareFixture<T extends object>(start: () => Promise<AsyncDisposable & T>): () => Promise<T> {
  let shared: ReturnType<typeof start> | undefined;
  let ending: NodeJS.Timeout | undefined;
  return async () => {
    clearTimeout(ending);
    const used = await (shared ??= start());
    const release = (): void => {
      ending = setTimeout(() => {
        shared = undefined;
        void used[Symbol.asyncDispose]();
      }, lingerMs).unref();
    };
    return { ...used, [Symbol.asyncDispose]: async () => release() };
  };
}

/** Reads options that may depend on other fixtures. */
export async function readLate<Options extends object>(options: Late<Options>): Promise<Options> {
  return typeof options === 'function' ? await options() : options;
}
