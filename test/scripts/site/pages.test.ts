import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '#scripts/lib/paths.ts';
import { joinPages, listPages } from '#scripts/site/agents.ts';
import { groupSamples, readGroups, readPages } from '#scripts/site/pages.ts';

const pages = readPages();
const byPath = new Map(pages.map((page) => [page.path, page]));

test('every page is of a file of the checkout, has a title, and a path of its own', () => {
  expect(pages.length).toBeGreaterThan(50);
  expect(pages.filter(({ source, title }) => !existsSync(join(root, source)) || title === source)).toEqual([]);
  expect(byPath.size).toBe(pages.length);
  expect(byPath.get('api/index.md')!.source).toBe('docs/api/README.md');
  expect(byPath.get('sdk/typescript.md')!.source).toBe('sdk/typescript/README.md');
  expect(byPath.get('sdk/python.md')!.source).toBe('sdk/python/README.md');
  expect(byPath.get('sdk/go.md')!.source).toBe('sdk/go/README.md');
});

test('links between files lead to where their pages are on the site, and to nothing else', () => {
  const broken = pages.flatMap(({ path, text }) =>
    [...text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').matchAll(/[^!]\[[^\]]*\]\(([^)\s#]+)[^)]*\)/g)]
      .map(([, href]) => href!)
      .filter((href) => !/^[a-z]+:/.test(href))
      .filter((href) => !byPath.has(posix.join(posix.dirname(path), href)))
      .map((href) => `${path}: ${href}`),
  );
  expect(broken).toEqual([]);
  expect(byPath.get('sdk/typescript.md')!.text).not.toContain('](../../docs');
  expect(byPath.get('api/index.md')!.text).toContain('[`@waymark/sdk`](../sdk/typescript.md)');
  // A file of code has no page: its name stays.
  expect(byPath.get('adr/index.md')!.text).not.toMatch(/\]\([^)]*\.ts\)/);
});

test('docs/README.md groups the pages by their readers, and names each file that it lists once', () => {
  const groups = readGroups(pages);
  expect(groups.map(({ title }) => title)).toEqual([
    'Newcomers',
    'People who work with links',
    'Integrators',
    'Operators',
    'Contributors',
  ]);
  const listed = groups.flatMap((group) => group.pages);
  expect(listed.filter(({ path }) => !byPath.has(path))).toEqual([]);
  expect(new Set(listed.map(({ path }) => path)).size).toBe(listed.length);
  expect(listed.find(({ path }) => path === 'mcp.md')).toEqual({
    title: 'Agents by MCP',
    path: 'mcp.md',
    about: 'the tools at `/mcp`, and how an agent gets them.',
  });
});

test('llms.txt lists every page of the groups, and llms-full.txt has the text of all but those of contributors', () => {
  const groups = readGroups(pages);
  const [list, full] = [listPages(groups), joinPages(pages, groups)];
  for (const { title, pages: listed } of groups)
    for (const { path } of listed) {
      expect(list).toContain(`](${path})`);
      const { text } = byPath.get(path)!;
      expect([path, full.includes(text.trim())]).toEqual([path, title !== 'Contributors']);
    }
});

test('samples of several languages that follow each other become tabs; others stay', () => {
  const [sh, ts] = ['```sh\ncurl a\n```\n\n', '```ts\nfetch(a);\n```\n\n'];
  expect(groupSamples(`Text.\n\n${sh}${ts}More.\n`)).toBe(
    'Text.\n\n::: code-group\n\n```sh [curl]\ncurl a\n```\n\n```ts [TypeScript]\nfetch(a);\n```\n\n:::\n\nMore.\n',
  );
  expect(groupSamples(`${sh}Text.\n\n${ts}`)).toBe(`${sh}Text.\n\n${ts}`);
  expect(groupSamples(`${sh}${sh}`)).toBe(`${sh}${sh}`);
  expect(byPath.get('api/calls.md')!.text).not.toBe(groupSamples(byPath.get('api/calls.md')!.text));
});
