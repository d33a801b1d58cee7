import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Of the live objects; V8's default lets the heap become several times as large before a full collection. Measured: with 30 an
// edge stays within 200 MB with all its links in memory (bench row R8).
const growingPercent = 30;

/**
 * Limits how far the heap grows beyond its live objects, in this process and in its workers' heaps. The space of young objects
 * is limited by `--max-semi-space-size`, which V8 reads only at the start of the process: scripts/lib/node-flags.ts,
 * deploy/compose.yaml and deploy/kubernetes give it to all of them.
 */
export function limitHeapGrowth(): void {
  const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
  if (!given.includes('heap-growing-percent')) setFlagsFromString(`--heap-growing-percent=${growingPercent}`);
}

/**
 * Lets each thread collect its young objects alone. V8 by default shares that work with helper threads, for which the event loop
 * waits: where other processes keep the cores busy, a collection took up to 42 ms (bench row V1).
 */
export function collectAlone(): void {
  setFlagsFromString('--no-parallel-scavenge');
}

/**
 * Collects the garbage of a thread's start, most of which is source text and parsers' memory. V8 by itself first does so when the heap
 * has grown to several times its live objects, which an idle process never reaches. Blocks for about 0.15 s, so call it before the
 * process serves.
 */
export function collectStartGarbage(): void {
  // The last resort also gives back the space of young objects, which loading modules has made 38 MB large in an API; a usual
  // collection keeps it (ADR 69). It starts at 1 MB again, and grows with the load.
  collectorOf()?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

type Collector = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

// More than threads that start at a time.
const attempts = 10;

/** V8's collector. Its flag is one for all threads: another one that starts may take it away at any moment. */
function collectorOf(): Collector | undefined {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('globalThis.gc') as Collector | undefined;
    setFlagsFromString('--no-expose-gc');
    if (collect !== undefined) return collect;
  }
  return undefined;
}
