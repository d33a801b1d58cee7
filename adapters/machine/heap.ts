import { setFlagsFromString } from 'node:v8';

// Of the live objects; V8's default lets the heap become several times as large before a full collection. Measured: with 30 an
// edge stays within 200 MB with all its links in memory (bench row R8).
const growingPercent = 30;

/**
 * Limits how far the heap grows beyond its live objects, in this process and in its workers' heaps. The space of young objects
 * is limited by `--max-semi-space-size`, which V8 reads only at the start of the process: scripts/lib/node-flags.ts,
 * deploy/compose.yaml and deploy/kubernetes give it to edges and workers.
 */
export function limitHeapGrowth(): void {
  const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
  if (!given.includes('heap-growing-percent')) setFlagsFromString(`--heap-growing-percent=${growingPercent}`);
}
