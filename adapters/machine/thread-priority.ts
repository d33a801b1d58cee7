import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

// A choice: beside busy threads it still gets a quarter of a core.
const backgroundNiceness = 5;

/** Lets other threads go before the calling one where processors are short. Linux alone knows priorities of threads. */
export function yieldToOtherThreads(): void {
  if (process.platform !== 'linux') return;
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')));
    setPriority(thread, Math.max(getPriority(thread), backgroundNiceness));
  } catch {
    // Without /proc, or without the right: the thread runs like the others then.
  }
}
