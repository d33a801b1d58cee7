import { collectStartGarbage } from '#adapters/machine/heap.ts';

// Preloaded by each thread of the worker (scripts/lib/node-flags.ts). Temporal's SDK keeps a compiled copy of the bundle of workflows
// for debuggers for ten seconds, and starts the thread of workflows itself; garbage of both remains after the process serves.

// Later than the ten seconds. A collection blocks a thread for less than 0.2 s.
const collectAfterMs = 15_000;

setTimeout(collectStartGarbage, collectAfterMs).unref();
