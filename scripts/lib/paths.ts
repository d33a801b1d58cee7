import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The root of the checkout. */
export const root = resolve(import.meta.dirname, '../..');

/** Version of Waymark. */
export function waymarkVersion(): string {
  return (JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as { version: string }).version;
}
