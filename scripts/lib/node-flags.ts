import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './paths.ts';

/**
 * Options of Node for edges. V8's default lets the space of young objects grow to 128 MiB under load, which gains
 * little: the garbage of a visit is dead long before. Measured on R1: 8 MiB a half costs no throughput.
 */
export const edgeFlags: readonly string[] = ['--max-semi-space-size=8'];

/**
 * Options of Node for workers. Rows of an import live until their batch is done; a small space of young objects is collected
 * before that, and each collection copies them. Measured on M1: with 32 MiB a half an import is a tenth to a fifth faster than
 * with 8.
 */
export const workerFlags: readonly string[] = ['--max-semi-space-size=32'];

/** Options for processes of Waymark that `npm start` keeps: stripped types are read from disk, see scripts/strip-types.mjs. */
export const typeFlags: readonly string[] = [
  // `stripTypeScriptTypes` is experimental; package.json pins Node.
  '--disable-warning=ExperimentalWarning',
  '--import',
  pathToFileURL(join(root, 'scripts/strip-types.mjs')).href,
];

/** Options for the worker of `npm start`, after `typeFlags`: its threads give back what their start needed. */
export const garbageFlags: readonly string[] = ['--import', pathToFileURL(join(root, 'start/late-garbage.ts')).href];
