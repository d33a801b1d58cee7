import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The checkout: the folder that holds `package.json`. */
export const root = resolve(import.meta.dirname, '../..');

/** Where Node keeps what it has compiled: a process that starts again is up a quarter sooner. */
export const compileCacheDir = resolve(root, 'node_modules/.cache/node');

/** Version of Waymark. */
export function waymarkVersion(): string {
  return (JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as { version: string }).version;
}
