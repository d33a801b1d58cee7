<<<<<<< HEAD
import { readdirSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';

// The name that libuv gives to the threads of its pool.
const poolThread = 'libuv-worker';
// A choice: beside a busy thread of an event loop, a thread of the pool gets a tenth of a core.
const poolNiceness = 10;
const ownThreads = '/proc/self/task';

/**
 * Lets event loops go before the threads of this process's pool, which hash passwords for some 50 ms each: where cores are short,
 * a hash would hold up every call (bench row V1). Linux alone knows priorities of threads.
 */
export async function lowerPoolPriority(): Promise<void> {
  if (process.platform !== 'linux') return;
  // The pool starts all its threads at its first use.
  await stat('/');
  for (const thread of listThreads()) {
    try {
      if (readFileSync(`${ownThreads}/${thread}/comm`, 'utf8').trim() === poolThread)
        lower(Number(thread), poolNiceness);
    } catch {
      // The thread has ended, or the system does not allow it: it stays as it is.
    }
  }
}

function lower(thread: number, niceness: number): void {
  setPriority(thread, Math.max(getPriority(thread), niceness));
}

function listThreads(): string[] {
  try {
    return readdirSync(ownThreads);
  } catch {
    // A container without /proc.
    return [];
=======
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
>>>>>>> limits
  }
}
