import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '#scripts/lib/paths.ts';
import { describeApi } from '#scripts/openapi.ts';

interface Operation {
  parameters?: { in: string; name: string }[];
}

const { paths } = (await describeApi()) as {
  paths: Record<string, Record<string, Operation>>;
};
const sources = globSync('console/**/*.{ts,tsx}', { cwd: root, exclude: ['console/node_modules/**'] });
const calls = sources.flatMap((file) =>
  [
    ...readFileSync(`${root}/${file}`, 'utf8').matchAll(/call(?:Tagged)?(?:<[^()]*>)?\(\s*'([A-Z]+)',\s*'([^']+)'/g),
  ].map(([, method = '', path = '']): [string, string] => [method, path]),
);

test('the console calls the API', () => {
  expect(calls.length).toBeGreaterThan(15);
});

// The decision about an app is between the console and the API alone.
test.each(calls.filter(([, path]) => !path.startsWith('/oauth/interaction/')))(
  'the description of the API has %s %s',
  (method, path) => {
    expect(paths[path]?.[method.toLowerCase()]).toBeDefined();
  },
);

test('only files of console/api call the API', () => {
  const others = sources.filter(
    (file) => !file.startsWith('console/api/') && /\bfetch\(/.test(readFileSync(`${root}/${file}`, 'utf8')),
  );
  expect(others).toEqual([]);
});
