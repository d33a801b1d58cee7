import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './paths.ts';

/**
 * Options of Node for APIs and edges. V8's default lets the space of young objects grow to 128 MiB under load, which gains
 * little: the garbage of a visit is dead long before. Measured on R1: 8 MiB a half costs no throughput. A
 * collection of a small space also holds the event loop of an API for a shorter time (bench row V1).
 */
const serverFlags: readonly string[] = ['--max-semi-space-size=8'];

/**
 * Options of Node for workers. Rows of an import live until their batch is done; a small space of young objects is collected
 * before that, and each collection copies them. Measured: with 32 MiB a half an import is a tenth to a fifth faster than
 * with 8.
 */
const workerFlags: readonly string[] = ['--max-semi-space-size=32'];

/** Stripped types are read from disk, see scripts/strip-types.mjs. @param checkout folder with the process's own files. */
export const typeFlags = (checkout = root): readonly string[] => [
  // `stripTypeScriptTypes` is experimental; package.json pins Node.
  '--disable-warning=ExperimentalWarning',
  ...preload(checkout, 'scripts/strip-types.mjs'),
];

function preload(checkout: string, file: string): readonly string[] {
  const path = join(checkout, file);
  // Benchmarks start processes of earlier checkouts too, which lack some of these files.
  return existsSync(path) ? ['--import', pathToFileURL(path).href] : [];
}

// Node's compile cache keeps the code of every module in memory (scripts/strip-types.mjs).
const withoutCompileCache = { NODE_DISABLE_COMPILE_CACHE: '1' };

/** How `npm start` starts a process of Waymark. */
export interface Launch {
  readonly nodeArgs: readonly string[];
  /** Variables beside those that the caller chooses. */
  readonly env: Readonly<Record<string, string>>;
}

export type ProcessRole = 'api' | 'edge' | 'worker';

/** Tells how `npm start` starts a process. @param checkout folder with its files; another one than this in benchmarks. */
export function launchOf(process: ProcessRole, checkout = root): Launch {
  const types = typeFlags(checkout);
  if (process !== 'worker') return { nodeArgs: [...serverFlags, ...types], env: withoutCompileCache };
  return {
    // The threads of a worker give back what their start needed.
    nodeArgs: [...workerFlags, ...types, ...preload(checkout, 'start/late-garbage.ts')],
    // By default glibc gives each thread a region of its own, which keeps freed memory; the worker has most threads.
    env: { ...withoutCompileCache, MALLOC_ARENA_MAX: '2' },
  };
}
