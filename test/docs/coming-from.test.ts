import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const docs = join(import.meta.dirname, '../../docs');

it('every call of Waymark in the table for users of other services is in the description of the API', () => {
  const guide = readFileSync(join(docs, 'api.md'), 'utf8');
  const { paths } = JSON.parse(readFileSync(join(docs, 'openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const [, table = ''] = /## Coming from [^\n]*\n([\s\S]*?)\n## /.exec(guide) ?? [];
  const calls = [...table.matchAll(/^\| `([A-Z]+) ([^`]+)`/gm)];
  expect(calls.length).toBeGreaterThan(8);
  const unknown = calls.filter(([, method = '', path = '']) => paths[path]?.[method.toLowerCase()] === undefined);
  expect(unknown.map(([call]) => call)).toEqual([]);
});
