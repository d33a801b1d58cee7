import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CompiledLink } from '#core/routing/compiled/compiled-link.ts';
import { cleanText, clickColumns } from '#core/clicks/click.ts';
import { readClicks } from '#db/clicks/lines.ts';
import { noUtm } from '#core/routing/utm.ts';
import { createClientAddress } from '#edge/visitor/address.ts';
import { createAgents } from '#edge/visitor/agent.ts';
import { createEnricher, refererHost } from '#edge/visitor/enricher.ts';
import { createLanguages, preferredLanguage } from '#edge/visitor/language.ts';
import { createVisitorHash } from '#edge/visitor/hash.ts';
import { browser } from '#test/support/edge.ts';
import { anyCharacter } from '#test/support/texts.ts';

const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148';
const androidView =
  'Mozilla/5.0 (Linux; Android 13; SM-S901B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120.0.0.0 Mobile Safari/537.36';
const onIphone = (name: string): string => `mobile\t${name}\tiOS`;
const onAndroid = (name: string): string => `mobile\t${name}\tAndroid`;
const appAgents: [userAgent: string, osType: string, fields: string][] = [
  [
    '[FBAN/FB4A;FBAV/445.0;FBLC/de_DE;FBPN/com.facebook.katana;FBDV/SM-S901B;FBSV/13]',
    'android',
    onAndroid('Facebook'),
  ],
  ['[FBAN/FBIOS;FBAV/450.0;FBDV/iPad13,1;FBSN/iPadOS;FBSV/17.4;FBID/tablet]', 'ios', 'tablet\tFacebook\tiOS'],
  [`${androidView} [FB_IAB/FB4A;FBAV/445.0;]`, 'android', onAndroid('Facebook')],
  [`${iphone} [FBAN/FBIOS;FBAV/450.0;FBSN/iOS]`, 'ios', onIphone('Facebook')],
  [`${iphone} Instagram 320.0.0.42.101 (iPhone14,5; iOS 17_4)`, 'ios', onIphone('Instagram')],
  ['Instagram 320.0.0.42.101 Android (33/13; 450dpi; samsung; SM-S901B)', 'android', onAndroid('Instagram')],
  ['com.zhiliaoapp.musically/2023304030 (Linux; U; Android 13; de_DE; SM-S901B)', 'android', onAndroid('TikTok')],
  [`${iphone} musical_ly_33.4.0 JsSdk/2.0 BytedanceWebview/d8a21c6`, 'ios', onIphone('TikTok')],
  [`${iphone} [LinkedInApp]/9.29.1`, 'ios', onIphone('LinkedIn')],
  [`${iphone} Twitter for iPhone/10.34`, 'ios', onIphone('X')],
  [`${androidView} TwitterAndroid`, 'android', onAndroid('X')],
  [`${iphone} [Pinterest/iOS]`, 'ios', onIphone('Pinterest')],
  ['Pinterest for Android/11.1.0 (SM-S901B; 13)', 'android', onAndroid('Pinterest')],
  [`${iphone} Snapchat/12.79.0.39 (like Safari/8617.2.4, panda)`, 'ios', onIphone('Snapchat')],
  [
    'Mozilla/5.0 (Linux; Android 14; SM-S901B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120.0.0.0 Mobile Safari/537.36Snapchat12.01.0.33 (SM-S901B; Android 14#x#34; gzip)',
    'android',
    onAndroid('Snapchat'),
  ],
  [`${androidView}Snapchat/13.60.0.42`, 'android', onAndroid('Snapchat')],
  [`${androidView} Line/14.4.0/IAB`, 'android', onAndroid('Line')],
  [`${androidView} MicroMessenger/8.0.47 NetType/WIFI`, 'android', onAndroid('WeChat')],
];

describe('user agents', () => {
  const agents = createAgents();
  const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0';

  test.each([
    [browser, 'windows', 'desktop\tChrome\tWindows'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Safari/605.1.15',
      'macos',
      'desktop\tSafari\tmacOS',
    ],
    [
      'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/119.0',
      'linux',
      'desktop\tFirefox\tLinux',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1',
      'ios',
      'mobile\tSafari\tiOS',
    ],
    [
      'Mozilla/5.0 (iPad; CPU OS 16_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.0 Mobile/15E148 Safari/604.1',
      'ios',
      'tablet\tSafari\tiOS',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
      'ios',
      'tablet\tSafari\tiOS',
    ],
    [`Mozilla/5.0 (Linux; Android 14; Pixel 8) ${chrome} Mobile Safari/537.36`, 'android', 'mobile\tChrome\tAndroid'],
    [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${chrome} Safari/537.36`, 'other', 'desktop\tChrome\tChrome OS'],
    [
      `Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/2.2 Chrome/63 TV Safari/537.36`,
      'other',
      'tv\t',
    ],
    [
      'Mozilla/5.0 (Linux; Android 9; AFTS) AppleWebKit/537.36 (KHTML, like Gecko) Silk/108.4 like Chrome/108 Safari/537.36',
      'android',
      'tv\t',
    ],
    [`Mozilla/5.0 (Linux; Android 12; Chromecast) ${chrome} Safari/537.36 CrKey/1.54`, 'android', 'tv\t'],
    ['curl/8.5.0', 'other', 'other\tcurl\t\\N'],
    ...appAgents,
    [`${iphone} YJApp-IOS jp.co.yahoo.ipn.appli/4.57.0`, 'ios', onIphone('Safari')],
    [`${androidView} YJApp-ANDROID jp.co.yahoo.android.yjtop/3.150.1`, 'android', onAndroid('Chrome')],
    [
      `Mozilla/5.0 (iPad; CPU OS 16_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 YJApp-IOS jp.co.yahoo.ipn.appli/4.57.0`,
      'ios',
      'tablet\tSafari\tiOS',
    ],
    // Only names of known lists are stored: no piece of a user agent (5.1).
    ['com.acme.shop/42 deviceId/abcdef', 'other', 'other\t\\N\t\\N'],
    ['Mozilla/5.0 (SecretOS 1.2) Foo/2', 'other', 'other\t\\N\t\\N'],
    ['', 'other', 'other\t\\N\t\\N'],
  ])('%s', (userAgent, osType, fields) => {
    const agent = agents(userAgent);
    expect(agent).toMatchObject({ osType, bot: undefined });
    expect(agent.fields.startsWith(fields)).toBe(true);
    expect(agents(userAgent)).toBe(agent);
  });
});

test.each([
  ['de', 'de'],
  ['de-at,de;q=0.9', 'de-AT'],
  ['en;q=0.5, fr;q=0.9, de;q=0.9', 'fr'],
  ['*, en;q=0.1', 'en'],
  ['zh-Hant-TW', 'zh-TW'],
  ['zh-Hant', 'zh-TW'],
  ['zh-Hans', 'zh-CN'],
  ['zh-Hans-TW', 'zh-CN'],
  ['zh-Hant-HK', 'zh-HK'],
  ['zh-cmn-Hans-CN', 'zh-CN'],
  ['sr-Latn-RS', 'sr-RS'],
  ['sr-Latn', 'sr'],
  ['sr-Cyrl-RS', 'sr-RS'],
  ['de-Latn-DE-1996', 'de-DE'],
  ['iw-IL', 'he-IL'],
  ['in', 'id'],
  ['ji', 'yi'],
  ['mo', 'ro'],
  ['nb-NO', 'nb-NO'],
  ['es-419', 'es'],
  ['fil-PH', 'fil-PH'],
  ['de-u-co-phonebk', 'de'],
  ['de-x-co', 'de'],
  ['de-DE-u-co-phonebk', 'de-DE'],
  ['en;q=0', null],
  ['en;q=7, de;q=0.1', 'de'],
  ['', null],
  ['x, 1234, en-', 'en'],
])('the language preferred by %j is %s (4.5)', (header, expected) => {
  expect(preferredLanguage(header)).toBe(expected);
});

test('a long header is read to its end, a header longer than any browser’s up to a whole language', () => {
  const languages = createLanguages();
  expect(languages(`${'en-US;q=0.5, '.repeat(40)}fr-CA`)).toEqual({ tag: 'fr-CA', field: 'fr' });
  for (let length = 1_010; length < 1_040; length += 1)
    expect(languages(`en;q=0.5,${'x'.repeat(length)},de;q=0.3`).tag).toBe('en');
  expect(languages('x'.repeat(2_000)).tag).toBeNull();
});

test.each([
  ['https://www.Example.com/path?q=1', 'www.example.com'],
  ['http://example.com:8080', 'example.com'],
  ['http://user:pass@example.com/@x', 'example.com'],
  ['https://example.com?x=http://other.example', 'example.com'],
  ['android-app://com.google.android.gm/', 'com.google.android.gm'],
  ['example.com', null],
  ['example.com/?u=https://other.example/', null],
  ['://', null],
  ['https://[2001:DB8::1]:8443/path', '[2001:db8::1]'],
  ['https://[evil]/', null],
  ['https://"evil"/', null],
  ['https:///', null],
  [undefined, null],
])('the host of referer %s is %s', (header, expected) => {
  expect(refererHost(header)).toBe(expected);
});

describe('client addresses (11.5)', () => {
  const direct = createClientAddress([]);
  const proxied = createClientAddress(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32']);

  test.each([
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['10.1.2.3', undefined, '10.1.2.3'],
    ['10.1.2.3', '198.51.100.1', '198.51.100.1'],
    ['::ffff:10.1.2.3', '198.51.100.1, 192.0.2.7', '198.51.100.1'],
    ['2001:db8::1', '6.6.6.6, 2001:db9::5, 10.0.0.1', '2001:db9::5'],
    ['10.1.2.3', '10.0.0.9, 10.0.0.8', '10.0.0.9'],
    ['10.1.2.3', '6.6.6.6, nonsense, 10.0.0.8', '10.0.0.8'],
    ['10.1.2.3', '198.51.100.1:4711', '198.51.100.1'],
    ['10.1.2.3', '[2001:db9::5]:4711', '2001:db9::5'],
    ['10.1.2.3', '', '10.1.2.3'],
    // One address in all its spellings is one visitor (5.2).
    ['10.1.2.3', '2001:DB9:0:0:0:0:0:5', '2001:db9::5'],
    ['10.1.2.3', '2001:0db9::0005', '2001:db9::5'],
    ['10.1.2.3', '0:0:0:0:0:ffff:198.51.100.1', '198.51.100.1'],
    ['10.1.2.3', '::FFFF:c633:6401', '198.51.100.1'],
    ['2001:DB9::5', undefined, '2001:db9::5'],
  ])('%s with X-Forwarded-For %s is %s', (socketAddress, forwardedFor, expected) => {
    expect(proxied(socketAddress, forwardedFor)).toBe(expected);
  });

  test('without trusted proxies the header counts for nothing', () => {
    expect(direct('10.1.2.3', '198.51.100.1')).toBe('10.1.2.3');
    expect(direct(undefined, '198.51.100.1')).toBe('');
  });
});

/** Keys of every month; two seeds have different ones. */
const keysFor = (seed: string) => ({
  find: (month: string) => createHash('sha512').update(`${seed} ${month}`).digest(),
});

describe('visitors (5.2)', () => {
  const keys = keysFor('a');

  test('are hashed with the month’s key in front', () => {
    const hash = createVisitorHash(keys);
    fc.assert(
      fc.property(fc.string(), fc.string({ unit: anyCharacter, maxLength: 300 }), (address, agent) => {
        const expected = createHash('sha256')
          .update(keys.find('2030-05'))
          .update(`o\n${address}\n${agent}`)
          .digest('hex')
          .slice(0, 32);
        expect(hash('o', address, agent, '2030-05')).toBe(expected);
      }),
    );
  });

  test('differ by organization, address, user agent, key and month', () => {
    const hash = createVisitorHash(keys);
    const hashes = [
      hash('o', 'a', 'u', '2030-05'),
      hash('p', 'a', 'u', '2030-05'),
      hash('o', 'b', 'u', '2030-05'),
      hash('o', 'a', 'v', '2030-05'),
      hash('o', 'a', 'u', '2030-06'),
      createVisitorHash(keysFor('b'))('o', 'a', 'u', '2030-05'),
    ];
    expect(new Set(hashes).size).toBe(6);
    expect(hash('o', 'a', 'u', '2030-05')).toBe(hashes[0]);
  });
});

test('text is clean: no control characters, no halves of pairs, no longer than it may be', () => {
  expect(cleanText('a\u0000b\nc\u007f\u0085d\ud800')).toBe('abcd\ufffd');
  expect(cleanText(`${'x'.repeat(254)}👩y`)).toBe(`${'x'.repeat(254)}👩`);
  expect(cleanText('👩'.repeat(300))).toBe('👩'.repeat(255));
  expect(cleanText(`x${'👩'.repeat(300)}`)).toBe(`x${'👩'.repeat(254)}`);
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      const clean = cleanText(text, 10);
      expect(Array.from(clean).length).toBeLessThanOrEqual(10);
      expect(clean.isWellFormed()).toBe(true);
      expect(clean).not.toMatch(/\p{Cc}/u);
      expect(cleanText(clean, 10)).toBe(clean);
    }),
  );
});

describe('a line of the journal', () => {
  const link: CompiledLink = {
    id: '01a20013-750e-73de-beb5-088a9ceb6fcd',
    organizationId: 'organization',
    domainId: 'domain',
    folderId: 'folder',
    tagIds: ['t1', 't2'],
    isActive: true,
    isTakenDown: false,
    honoursGpc: false,
    expiresAtMs: null,
    expiredLocation: null,
    maxClicks: null,
    passwordHash: null,
    threatPolicy: null,
    cloaking: false,
    forwardQuery: false,
    utm: noUtm,
    metaTags: null,
    destination: {
      type: 'link',
      url: '',
      location: '',
      threatTypes: [],
      refusesFrames: false,
      enableDeepLinking: false,
      iosDeepLink: null,
      androidDeepLink: null,
    },
    rules: [],
  };

  test('holds every column, whatever the visitor sends, and neither address nor user agent', async () => {
    const enricher = createEnricher({ visitorKeys: keysFor('a') });
    const anything = fc.string({ unit: anyCharacter });
    await fc.assert(
      fc.asyncProperty(anything, anything, anything, anything, async (query, language, referer, url) => {
        const headers = {
          'user-agent': `${browser} secret-agent`,
          'accept-language': language,
          referer: `https://${referer}`,
        };
        const visitor = enricher.visitor(headers, '203.0.113.77', `utm_source=${query}&${query}`);
        const line = enricher.click(link, visitor, url, 1_900_000_000_000);
        expect(line.indexOf('\n')).toBe(line.length - 1);
        expect(line.split('\t')).toHaveLength(clickColumns.length);
        expect((await readClicks(Buffer.from(line))).clicks.count).toBe(1);
        expect(line).not.toContain('203.0.113.77');
        expect(line).not.toContain('secret-agent');
      }),
    );
  });

  test('names a visitor as another one from the first millisecond of the next month', () => {
    const enricher = createEnricher({ visitorKeys: keysFor('a') });
    const who = (nowMs: number): string | undefined =>
      enricher.click(link, enricher.visitor({}, '203.0.113.1', ''), 'u', nowMs).split('\t')[3];
    const june = Date.UTC(2030, 5, 1);
    expect(who(june - 1)).toBe(who(Date.UTC(2030, 4, 1)));
    expect(who(june)).not.toBe(who(june - 1));
  });

  test('says neither who nor where but the country of a visit with Sec-GPC, where the organization honours it', () => {
    const geo = { version: 1, find: () => ({ country: 'DE', region: 'Berlin', city: 'Berlin', continent: 'EU' }) };
    const enricher = createEnricher({ visitorKeys: keysFor('a'), geo });
    const fieldsOf = (honoursGpc: boolean, gpc?: string): { who: string; where: string[] } => {
      const headers = { 'user-agent': browser, ...(gpc === undefined ? {} : { 'sec-gpc': gpc }) };
      const visitor = enricher.visitor(headers, '203.0.113.1', '');
      const fields = enricher.click({ ...link, honoursGpc }, visitor, 'u', 0).split('\t');
      return { who: fields[3]!, where: fields.slice(4, 8) };
    };
    const known = fieldsOf(true);
    expect(known.where).toEqual(['DE', 'Berlin', 'Berlin', 'EU']);
    for (const [honours, gpc] of [
      [false, '1'],
      [false, undefined],
      [true, '0'],
      [true, 'true'],
    ] as const) {
      expect(fieldsOf(honours, gpc)).toEqual(known);
    }
    const [first, second] = [fieldsOf(true, '1'), fieldsOf(true, '1')];
    for (const { where } of [first, second]) expect(where).toEqual(['DE', '\\N', '\\N', 'EU']);
    // Not a hash of anything: the same visitor has another one each time.
    expect(new Set([known.who, first.who, second.who]).size).toBe(3);
    expect(first.who).toMatch(/^\\\\x[0-9a-f]{32}$/);
  });

  test('names the place that the lookup finds, each address asked once', () => {
    const asked: string[] = [];
    const geo = {
      version: 1,
      find(address: string) {
        asked.push(address);
        return address === '203.0.113.1'
          ? { country: 'DE', region: 'Berlin', city: 'Berlin "Mitte"', continent: 'EU' }
          : null;
      },
    };
    const enricher = createEnricher({ visitorKeys: keysFor('a'), geo });
    const place = (address: string): unknown[] => {
      const visitor = enricher.visitor({}, address, '');
      return [visitor.country, ...enricher.click(link, visitor, 'u', 0).split('\t').slice(4, 8)];
    };
    expect(place('203.0.113.1')).toEqual(['DE', 'DE', 'Berlin', 'Berlin "Mitte"', 'EU']);
    expect(place('203.0.113.1')[0]).toBe('DE');
    expect(place('203.0.113.2')).toEqual([null, '\\N', '\\N', '\\N', '\\N']);
    expect(asked).toEqual(['203.0.113.1', '203.0.113.2']);
    geo.version = 2;
    place('203.0.113.1');
    expect(asked).toHaveLength(3);
  });
});
