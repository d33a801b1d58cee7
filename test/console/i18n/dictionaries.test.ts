import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '#scripts/lib/paths.ts';

// That no sentence is missing is held by the compiler. Here: that German is German, and that pages have no sentences of their own.

const dictionaries = globSync('console/**/{words,ui,nouns}.ts', { cwd: root, exclude: ['console/node_modules/**'] });
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
]);

function sentencesOf(part: string): string[] {
  return [...part.matchAll(/: '((?:[^'\\]|\\.)+)'/g)].flatMap(([, sentence]) => sentence ?? []);
}

test.each(dictionaries.filter((path) => !path.endsWith('i18n/words.ts')))(
  'the German of %s is not left in English',
  (path) => {
    const [english = '', german = ''] = readFileSync(`${root}/${path}`, 'utf8').split(/const de\b/);
    const inGerman = new Set(sentencesOf(german));
    const same = sentencesOf(english).filter((sentence) => inGerman.has(sentence) && !shared.has(sentence));
    expect(same).toEqual([]);
  },
);

test('pages take their sentences from dictionaries', () => {
  const pages = globSync('console/**/*.tsx', { cwd: root, exclude: ['console/node_modules/**'] });
  const spoken = pages.flatMap((path) =>
    [...readFileSync(`${root}/${path}`, 'utf8').matchAll(/>\s*([A-Z][a-z]+(?: [a-z]+)+)[^<{]*</g)].map(
      ([, text]) => `${path}: ${text}`,
    ),
  );
  expect(spoken).toEqual([]);
});
