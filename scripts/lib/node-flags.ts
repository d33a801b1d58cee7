import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './paths.ts';

/**
 * Options of Node for edges and workers. V8's default lets the space of young objects grow to 128 MiB under load, which gains
 * little: the garbage of a visit or a delivery is dead long before. Measured on R1: 8 MiB a half costs no throughput.
 */
export const nodeFlags: readonly string[] = ['--max-semi-space-size=8'];

/** Options for processes of Waymark that `npm start` keeps: stripped types are read from disk, see scripts/strip-types.mjs. */
export const typeFlags: readonly string[] = [
  // `stripTypeScriptTypes` is experimental; package.json pins Node.
  '--disable-warning=ExperimentalWarning',
  '--import',
  pathToFileURL(join(root, 'scripts/strip-types.mjs')).href,
];
