// @module-tag process

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildConsole } from '#scripts/build/console.ts';
import { root } from '#scripts/lib/paths.ts';

// How much a browser has to load, in bytes of gzip. A page that outgrows its budget loads a part of itself later.

const built = join(root, 'dist/console');
const kB = 1_000;
// 4 kB of it are menus with a search, which asks the API for folders, tags and domains; half a kB are filters that statistics share.
// Filters that are typed in the person's language, and the ways back to lists as they were left, are a quarter of a kB.
// Hints at keys that may be off, and what is typed before a dialog has the focus, are half a kB.
const firstLoad = { script: 217.5 * kB, style: 18 * kB };
// One file: Latin letters in all weights.
const fonts = 60 * kB;
/** What a lazy part may add to the first load. */
const additions: Record<string, number> = {
  // The picture of a link: facts, rules as sentences, history with parts of QR codes in words, 2 kB; its code, which comes after, has the library that draws it.
  'links/link/page.tsx': 23 * kB,
  'links/link/code.tsx': 21 * kB,
  // Colours are typed, too.
  'links/qr/page.tsx': 30 * kB,
  'links/qr/list-page.tsx': 29 * kB,
  // With the folders and tags of the editor.
  'links/many/page.tsx': 36 * kB,
  // With the designer of QR codes and the library that draws them.
  'domains/qr-template.tsx': 33 * kB,
  'links/qr/zip.ts': 26 * kB,
  'stats/page.tsx': 45 * kB,
  'organize/files/page.tsx': 19 * kB,
  // The audit log and deliveries have their words from the organization's own pages, processes have names for their states.
  'staff/organization/page.tsx': 25.5 * kB,
  'staff/pages/audit-page.tsx': 19 * kB,
  // With the fields of links, which the editor has too, and the words of columns that protect links.
  'imports/new/page.tsx': 51.5 * kB,
  'imports/result/page.tsx': 18 * kB,
  'links/editor/edit-page.tsx': 60 * kB,
  'links/editor/preview/preview.tsx': 60 * kB,
  // With the field of several choices, which the tags of the form bring first.
  'links/editor/rules/section.tsx': 67 * kB,
  'links/editor/cards/section.tsx': 66 * kB,
  'links/editor/new-link-dialog.tsx': 60 * kB,
};
const otherPages = 17 * kB;
const editorParts = [
  'links/editor/edit-page.tsx',
  'links/editor/new-link-dialog.tsx',
  'links/editor/preview/preview.tsx',
  'links/editor/rules/section.tsx',
];
// With the edge's own decisions and the schemas of drafts, 31 kB, and lists that are ordered by keys and by dragging, 17 kB.
// The way to a wrong field and the page of a link that does not exist are half a kB of it.
const wholeEditor = 84.5 * kB;
// The reader of dropped files is a worker of 49 kB, since it has its own copy of the schemas of links.
// The pages of the staff are 24 kB of it, which customers never load.
// Second factors are 15 kB of it, with the browser library of passkeys, loaded when they are used.
// The page of a link has its code and card, 3 kB, and changes of many links can be undone, 2 kB.
// Links of many addresses are 4 kB of it, codes for print and the list of codes 5 kB, a chart with its legend and tooltip 1 kB.
// The list of API calls is 3 kB of it, visits of bots in statistics and the way to a wrong field of the editor 1 kB.
// Apps that a person connects are 4 kB of it. Names of threats, and whose things the staff looked at, are half a kB.
// Words of columns that protect links, in seven languages, are 10 kB of it: the page of imports and its worker have them.
// German for what the API refuses is 10 kB of it, with names of fields: it is loaded after the first page.
// The audit log's details and actions in words are 2 kB of it.
// What two callers changed at once, by the form's labels, and why a server did not answer are 1 kB of it.
// Numbers as a person types them, the way to the first fault, and states of processes in German are 1.5 kB of it.
// Words of what a change turned on or off, of parts of QR codes and of what a key may do are 2.5 kB of it.
const everything = 724 * kB;

interface Chunk {
  file: string;
  css?: string[];
  imports?: string[];
  isDynamicEntry?: boolean;
}

let manifest: Record<string, Chunk>;
beforeAll(async () => {
  await buildConsole(() => {});
  manifest = JSON.parse(readFileSync(join(built, 'manifest.json'), 'utf8'));
});

/** Names of a chunk and of all that it imports before it runs. */
function closure(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const imported of manifest[name]?.imports ?? []) closure(imported, found);
  return found;
}

const gzipped = (file: string): number => gzipSync(readFileSync(join(built, file)), { level: 9 }).length;
const sum = (files: Iterable<string>): number => [...files].reduce((total, file) => total + gzipped(file), 0);
const scripts = (names: Iterable<string>): string[] => [...names].map((name) => manifest[name]?.file ?? name);
const styles = (names: Iterable<string>): Set<string> =>
  new Set([...names].flatMap((name) => manifest[name]?.css ?? []));

describe('the built console', () => {
  it('loads the list of links within its budget', () => {
    const first = closure('index.html');
    expect(sum(scripts(first))).toBeLessThan(firstLoad.script);
    expect(sum(styles(first))).toBeLessThan(firstLoad.style);
  });

  it('adds to the first load what the budget of each lazy part allows', () => {
    const first = closure('index.html');
    const lazy = Object.keys(manifest).filter((name) => manifest[name]?.isDynamicEntry === true);
    const tooLarge = lazy
      .map((name) => ({ name, bytes: sum(scripts(closure(name)).filter((file) => !scripts(first).includes(file))) }))
      .filter(({ name, bytes }) => bytes > (additions[name] ?? otherPages));
    expect(tooLarge).toEqual([]);
    expect(Object.keys(additions).filter((name) => !lazy.includes(name))).toEqual([]);
  });

  it('adds the whole editor within its budget, which is loaded once the list is drawn', () => {
    const first = closure('index.html');
    const parts = editorParts.flatMap((name) => [...closure(name)]);
    const files = new Set(scripts(parts).filter((file) => !scripts(first).includes(file)));
    expect(sum(files)).toBeLessThan(wholeEditor);
  });

  it('has less than the budget of everything', () => {
    const files = readdirSync(join(built, 'assets')).filter((name) => /\.(?:js|css)$/.test(name));
    expect(sum(files.map((name) => join('assets', name)))).toBeLessThan(everything);
  });

  it('has a text face within its budget, as it is, since its format is compressed', () => {
    const files = readdirSync(join(built, 'assets')).filter((name) => name.endsWith('.woff2'));
    const sizes = files.map((name) => readFileSync(join(built, 'assets', name)).length);
    expect(sizes).toEqual([expect.any(Number)]);
    expect(sizes[0]).toBeLessThan(fonts);
  });

  it('has compressed copies of every script and style sheet, and names no other host', () => {
    const files = readdirSync(join(built, 'assets')).filter((name) => /\.(?:js|css)$/.test(name));
    const large = files.filter((name) => readFileSync(join(built, 'assets', name)).length >= 1_024);
    expect(large.filter((name) => !existsSync(join(built, 'assets', `${name}.br`)))).toEqual([]);
    expect(readFileSync(join(built, 'index.html'), 'utf8')).not.toMatch(/https?:\/\//);
  });
});
