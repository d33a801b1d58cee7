import { setTimeout as sleep } from 'node:timers/promises';
import { describeExit, type Exit, type Running } from '#scripts/lib/running.ts';
import { StartError } from './start-error.ts';

const deadlineMs = 60_000;
const pollMs = 20;

/** A server of `npm start` that runs. */
export interface EmbeddedServer {
  pid: number;
  /** Resolves when the process exits; never rejects. */
  exited: Promise<Exit>;
  /** Stops the server; data is safe. `hurry`: at once, which may leave recovery to the next start. */
  stop(options?: { hurry?: boolean }): Promise<Exit>;
}

interface ServingOptions {
  /** As in `The embedded PostgreSQL`. */
  name: string;
  running: Running;
  stop: EmbeddedServer['stop'];
  isServing(): Promise<boolean>;
  signal: AbortSignal | undefined;
}

/** Waits until a server serves. @throws StartError with the end of its log where it does not; it is stopped then. */
export async function untilServing({
  name,
  running,
  stop,
  isServing,
  signal,
}: ServingOptions): Promise<EmbeddedServer> {
  const { pid, exited, lastLines } = running;
  let exit: Exit | undefined;
  void exited.then((how) => (exit = how));
  const startedAt = performance.now();
  try {
    while (!(await isServing())) {
      signal?.throwIfAborted();
      if (exit !== undefined) throw new Error(describeExit(exit));
      if (performance.now() - startedAt > deadlineMs) throw new Error(`it does not serve after ${deadlineMs / 1000} s`);
      await sleep(pollMs);
    }
  } catch (error) {
    const how = await stop({ hurry: true });
    const log = lastLines.length === 0 ? describeExit(how) : lastLines.join('\n');
    throw new StartError(`${name} did not start: ${(error as Error).message}\n${log}`, { cause: error });
  }
  return { pid: pid!, exited, stop };
}
