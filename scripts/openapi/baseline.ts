import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib/paths.ts';
import type { Description } from './breaking-changes.ts';

const baselinePath = join(root, 'docs/openapi.baseline.json');

const errorStatus = /^[345]\d\d$/;

/** The description of the API that integrators rely on: the one of the last release, without prose and error answers. */
export function readBaseline(): Description {
  return JSON.parse(readFileSync(baselinePath, 'utf8')) as Description;
}

/** Makes `document` the baseline. */
export function writeBaseline(document: object): void {
  writeFileSync(baselinePath, `${JSON.stringify(withoutProse(document), null, 1)}\n`);
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
  return ['example', 'examples', 'callbacks', 'tags', 'info', 'servers'].includes(key);
}
