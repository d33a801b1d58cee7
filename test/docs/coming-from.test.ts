import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeApi } from '#scripts/openapi.ts';

const docs = join(import.meta.dirname, '../../docs');
const document = (await describeApi()) as {
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, { properties: Record<string, unknown> }> };
};

it('every call of Waymark in the table for users of other services is in the description of the API', () => {
  const guide = readFileSync(join(docs, 'api/coming-from.md'), 'utf8');
  const { paths } = document;
  const [, table = ''] = /## Calls\n([\s\S]*?)\n## /.exec(guide) ?? [];
  const calls = [...table.matchAll(/^\| `([A-Z]+) ([^`]+)`/gm)];
  expect(calls.length).toBeGreaterThan(15);
  const unknown = calls.filter(([, method = '', path = '']) => paths[path]?.[method.toLowerCase()] === undefined);
  expect(unknown.map(([call]) => call)).toEqual([]);
});

it('every field of Waymark in the table for users of other services is in the schema of links that are sent or answered', () => {
  const guide = readFileSync(join(docs, 'api/coming-from.md'), 'utf8');
  const { components } = document;
  const { ShortLink, CreateShortLink } = components.schemas;
  const [, table = ''] = /## Fields of a link\n([\s\S]*?)\n## /.exec(guide) ?? [];
  const fields = [...table.matchAll(/^\| `(\w+)/gm)].map(([, name = '']) => name);
  expect(fields.length).toBeGreaterThan(8);
  expect(fields.filter((name) => !(name in { ...ShortLink!.properties, ...CreateShortLink!.properties }))).toEqual([]);
});
