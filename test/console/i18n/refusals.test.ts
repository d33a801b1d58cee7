import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { answerError, connectError } from '#adapters/http/error.ts';
import { german } from '#console/i18n/refusals/german.ts';
import { sayRefusal, translate } from '#console/i18n/refusals/index.ts';
import type { QrOptions } from '#core/links/qr-code.ts';
import { findLinkWarnings } from '#core/links/warnings/link-warnings.ts';
import { toIssues } from '#core/errors/issues.ts';
import { createLinkSchema } from '#core/links/draft.ts';
import { patchLinkSchema } from '#core/links/patch.ts';
import { root } from '#scripts/lib/paths.ts';

const link = (value: unknown, rest: object = {}) => ({ destination: { type: 'link', value }, ...rest });
const fine = (rest: object) => link('https://example.com/', rest);
const long = 'x'.repeat(20_000);

// Bodies that each break one rule or some.
const bodies: object[] = [
  {},
  link(5),
  link(''),
  link('https://example.com/a b'),
  link('ftp://example.com/'),
  link('https://user:pass@example.com/'),
  link(`https://example.com/${long}`),
  link('https://example.com/\uD800'),
  { destination: { type: 'fax', value: '1' } },
  { destination: { type: 'mail', value: 'mailto:ada@example.com' } },
  { destination: { type: 'mail', value: 'ada' } },
  { destination: { type: 'phone', value: 'ada' } },
  ...['javascript:alert(1)', 'no scheme', 'a b:c', 'intent://x#Intent;S.browser_fallback_url=ftp%3A%2F%2Fx;end'].map(
    (iosDeepLink) => ({ destination: { type: 'link', value: 'https://example.com/', iosDeepLink } }),
  ),
  ...['Früh ling', '', '..', 'robots.txt', long, 7].map((slug) => fine({ slug })),
  ...['', long, 5, '\u0000', 'a\nb', '\uD800', ' '].map((text) =>
    fine({ title: text, notes: text, externalId: text, utmSource: text, tags: [text], password: text, domain: text }),
  ),
  ...['', '2020-01-01', '2020-01-01T00:00:00Z', 5, '20000-01-01T00:00:00Z'].map((expiresAt) => fine({ expiresAt })),
  ...[-1, 1.5, 'many', 1e20].map((maxClicks) => fine({ maxClicks })),
  fine({ isActive: 'yes', cloaking: 3, tags: 'spring', folderId: 'x', domainId: 'x', unknown: 1 }),
  fine({ tags: Array.from({ length: 101 }, (_value, index) => `t${index}`) }),
  fine({ rules: [{ priority: 0, destination: { type: 'link', value: 'https://example.com/' } }] }),
  fine({ rules: [{ priority: -1, countries: ['XX', 'ABCD'], languages: ['xx', 'abcdef'], osTypes: ['dos'] }] }),
  fine({ rules: [{ priority: 0, countries: [], languages: [], osTypes: [] }], metaTags: { title: long, image: 'x' } }),
  fine({ qrCode: { options: { dotsOptions: { color: 'red', type: 'x' }, margin: -1 }, image: 'ftp://x' } }),
  { addTags: [''], removeTags: [5], tagIds: ['x'] },
];

test('every message of the schemas of links has German words', () => {
  const messages = new Set(
    bodies.flatMap((body) =>
      [createLinkSchema, patchLinkSchema].flatMap((schema) => {
        const { error } = schema.safeParse(body);
        return error === undefined ? [] : toIssues(error.issues).issues.map(({ message }) => message);
      }),
    ),
  );
  expect(messages.size).toBeGreaterThan(30);
  expect([...messages].filter((message) => translate(message, 'de') === undefined)).toEqual([]);
});

// Messages in the source, of places whose refusals a person of the console can meet.
const sources = globSync(
  [
    'core/{links,csv,labels,domains}/*.ts',
    'core/imports/**/*.ts',
    'core/webhooks/{url,headers}.ts',
    'core/lib/schemas.ts',
    'core/errors/issues.ts',
    'core/http/address-ranges.ts',
    'commands/**/*.ts',
    'api/{auth,domain,files,organization,request-log,staff}/**/*.ts',
    'api/plugins/body-share.ts',
    'adapters/temporal/workflows.ts',
    'adapters/{images,http}/*.ts',
    'db/entities/links/links.ts',
  ],
  // Texts of mails.
  { cwd: root, exclude: ['commands/webhooks/mail.ts', 'commands/accounts/notices.ts'] },
);
// Which only programs meet: the console has no control that sends such a call.
const ofPrograms =
  /isHttps|JSON|1e308|__proto__|ETag|cursor|null means|restricted to folders|required (?:with|where)|ids with change|nothing of this id|one proof|rest of the answer|was given up|waymark user|no such procedure|a moment like|not that of a page|not a word|a class of them|address of a file|had no room|^A page of/;
// Of parts that the schemas choose: the test above has them.
const ofParts = /^must (?:be|have at (?:most|least)) 7|object7|7 7\.$|custom 7|\$\{/;

test.each(sources)('what %s refuses has German words', (path) => {
  const text = readFileSync(`${root}/${path}`, 'utf8').replaceAll(
    /\/\*\*[\s\S]*?\*\/|\/\/.*|\.describe\([\s\S]*?\)|pageSchema\(.*\)/g,
    '',
  );
  const issues = [...text.matchAll(/(['`])((?:must|may|is|has|cannot|belongs|does|names) (?:(?!\1).)+)\1/g)];
  const sentences = [...text.matchAll(/message:\s*(['`])((?:(?!\1).)+)\1/g)];
  const calls = [
    ...text.matchAll(/(?:'[A-Z-_]+',\s*|(?:tooMany|inUse)\(\s*|invalid\('',\s*|message = )(['`])([A-Z].+?\.)\1/gi),
  ];
  const missing = [...issues, ...sentences, ...calls]
    .map(([, , message = '']) => message.replaceAll(/\$\{.*?\}/g, '7'))
    .filter((message) => !ofPrograms.test(message) && !ofParts.test(message) && translate(message, 'de') === undefined);
  expect(missing).toEqual([]);
});

test.each([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'UND_ERR_SOCKET',
  'ETIMEDOUT',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'CERT_HAS_EXPIRED',
  'HPE_INVALID_CONSTANT',
  undefined,
])('an address that is not reached because of %s says so in German', (code) => {
  const error = Object.assign(new Error('failed'), code !== undefined && { code });
  const messages = [connectError(error, true), connectError(error, false), answerError(error)].map(
    ({ message }) => message,
  );
  expect(messages.filter((message) => translate(message, 'de') === undefined)).toEqual([]);
});

test('every warning about a saved link has German words', () => {
  const hard: QrOptions[] = [
    {
      dotsOptions: { type: 'classy-rounded', color: '#eeeeee' },
      width: 100,
      margin: 0,
      imageOptions: { imageSize: 0.9 },
    },
    { cornersSquareOptions: { type: 'dot' }, cornersDotOptions: { type: 'dots' }, width: 100 },
    { dotsOptions: { color: '#ffffff' }, backgroundOptions: { color: '#000000' } },
  ];
  const warnings = hard.flatMap((options) =>
    findLinkWarnings(
      { rules: [{ countries: ['DE'] }], framesRefused: true, qrCode: { options, imageId: 'a' } },
      { hasGeoip: false },
    ),
  );
  const messages = new Set(warnings.map(({ message }) => message));
  expect(messages.size).toBe(9);
  expect([...messages].filter((message) => translate(message, 'de') === undefined)).toEqual([]);
});

describe('a refusal in the words of the person', () => {
  test.each([
    ['de', 'must have 1 to 30 characters', '', 'Muss 1 bis 30 Zeichen haben'],
    ['de', 'is required', 'destination.value', 'Ziel: Wird gebraucht'],
    [
      'de',
      'its fallback must be an http or https URL',
      '',
      'Die Ausweichadresse: Muss eine Adresse mit http oder https sein',
    ],
    [
      'de',
      'must be an ISO 3166-1 alpha-2 country',
      'rules.1.countries',
      'Regeln 2: Muss ein Land sein, als Code aus zwei Buchstaben',
    ],
    ['de', 'A folder with this name exists already.', '', 'Einen Ordner mit diesem Namen gibt es schon.'],
    ['de', 'mia@x.example is a member already.', '', 'mia@x.example ist schon Mitglied.'],
    ['en', 'mia@x.example is a member already.', '', 'mia@x.example is a member already.'],
    ['de', 'never seen before', 'shape', 'Shape: Never seen before'],
    [
      'en',
      'must be a host name alone, without scheme, port or path',
      '',
      'Must be a host name alone, without scheme, port or path',
    ],
    [
      'en',
      'must have at least one of countries, languages, osTypes',
      'rules.0',
      'Rules 1: Choose at least one country, language or system',
    ],
  ])('%s: %s', (lang, message, path, said) => {
    vi.stubGlobal('document', { documentElement: { lang } });
    try {
      expect(sayRefusal(message, path)).toBe(said);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('has as many values in German as in English', () => {
    const values = (text: string): number => text.split('{}').length;
    expect(Object.entries(german).filter(([english, words]) => values(english) !== values(words))).toEqual([]);
  });
});
