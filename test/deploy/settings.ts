import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configSections, secretNames } from '#config/schema.ts';
import { root } from '#scripts/lib/paths.ts';

/** Every variable that Waymark reads; secrets also as the path of a file. */
export const settingNames: ReadonlySet<string> = new Set([
  ...Object.values(configSections).flatMap((section) => Object.keys(section)),
  ...secretNames.map((name) => `${name}_FILE`),
]);

/** Reads a file of the checkout. */
export function readFromRoot(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** What the Dockerfile sets in the environment of every container. */
export function imageEnvironment(): Record<string, string> {
  const [block = ''] = /^ENV (?:.*\\\n)*.*$/m.exec(readFromRoot('Dockerfile')) ?? [];
  return Object.fromEntries([...block.matchAll(/([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name!, value!]));
}
