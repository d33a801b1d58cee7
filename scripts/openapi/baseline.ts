import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib/paths.ts';

/** The description of the last release's API, without prose and answers of errors: what its clients rely on. */
export const baselinePath = join(root, 'docs/openapi.baseline.json');

const errorStatus = /^[345]\d\d$/;

/** Makes `document` the baseline. Each operation, schema and event is one line, so that a diff names what changed. */
export function writeBaseline(document: object): void {
  writeFileSync(baselinePath, `${renderLines(withoutProse(document), 2)}\n`);
}

/** JSON whose objects are written over several lines down to `depth`. */
function renderLines(part: unknown, depth: number): string {
  if (depth === 0 || typeof part !== 'object' || part === null || Array.isArray(part)) return JSON.stringify(part);
  const entries = Object.entries(part).map(([key, value]) => {
    const below = key === 'components' ? depth : depth - 1;
    return `${JSON.stringify(key)}: ${renderLines(value, below)}`;
  });
  return `{\n${entries.join(',\n')}\n}`;
}

/** Drops what clients do not depend on. Callbacks repeat `x-webhooks`. */
function withoutProse(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutProse);
  if (typeof part !== 'object' || part === null) return part;
  const kept = Object.entries(part).filter(([key, value]) => !isProse(key, value) && !errorStatus.test(key));
  return Object.fromEntries(
    kept.map(([key, value]) => [
      key,
      key === 'properties' ? withoutProseOfFields(value as object) : withoutProse(value),
    ]),
  );
}

/** Fields of a schema, by names of their own: one may be called `example`. */
function withoutProseOfFields(fields: object): object {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, withoutProse(field)]));
}

function isProse(key: string, value: unknown): boolean {
  if (key === 'description' || key === 'summary') return typeof value === 'string';
  return ['example', 'examples', 'callbacks', 'tags', 'servers'].includes(key);
}
