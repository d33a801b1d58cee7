import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '#scripts/lib/paths.ts';

// That no sentence is missing is held by the compiler. Here: that German is German, and that pages have no sentences of their own.

const sources = globSync('console/**/*.{ts,tsx}', { cwd: root, exclude: ['console/node_modules/**'] }).map((path) => ({
  path,
  text: readFileSync(`${root}/${path}`, 'utf8'),
}));
const beginsGerman = /^const de\b|^  de: \{/m;
const dictionaries = sources.filter(({ text }) => beginsGerman.test(text));
// The same in both languages.
const shared = new Set([
  'Waymark',
  'Temporal',
  'Links',
  'Domains',
  'Webhooks',
  'Webhook',
  'Premium',
  'Apps',
  'apple-app-site-association',
  'assetlinks.json',
  'Tags',
  'Tag',
  'Domain',
  'Name',
  'English',
  'Deutsch',
  'Filter',
  'Cap',
  'QR-Code',
  'QR code',
  'SVG',
  'CSV',
  'TSV',
  'Slug',
  'PNG',
  'Cyan',
  'Pink',
  'Minute',
  'Link',
  'Region',
  'System',
  'Browser',
  'Computer',
  'Tablet',
  'Live',
  'Windows',
  'macOS',
  'Linux',
  'iOS',
  'Android',
  'Location',
  'Admin',
  'Authorization: Bearer …',
  'ms',
  'in',
]);

/** Texts of a dictionary, without their values. */
function sentencesOf(part: string): string[] {
  return [...part.matchAll(/(?::|=>)\s*(['`])((?:(?!\1)[^\\]|\\.)+)\1/g)]
    .map(([, , sentence = '']) => sentence.replaceAll(/\$\{.*?\}/g, '').trim())
    .filter((sentence) => /\p{L}{2}/u.test(sentence));
}

test('dictionaries are found wherever they stand', () => {
  expect(dictionaries.length).toBeGreaterThan(50);
});

test.each(dictionaries)('the German of $path is not left in English', ({ text }) => {
  const [english = '', german = ''] = text.split(beginsGerman);
  const inGerman = new Set(sentencesOf(german));
  expect(inGerman.size).toBeGreaterThan(0);
  const same = sentencesOf(english).filter((sentence) => inGerman.has(sentence) && !shared.has(sentence));
  expect(same).toEqual([]);
});

test('pages take their sentences from dictionaries', () => {
  const pages = sources.filter(({ path }) => path.endsWith('.tsx'));
  const spoken = pages.flatMap(({ path, text: page }) =>
    [...page.matchAll(/>\s*([A-Z][a-z]+(?: [a-z]+)+)[^<{]*</g)].map(([, text]) => `${path}: ${text}`),
  );
  expect(spoken).toEqual([]);
});
