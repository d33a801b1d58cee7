import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type {
  CompiledDestination,
  CompiledDomain,
  CompiledLink,
  CompiledRule,
} from '#core/routing/compiled/compiled-link.ts';
import { chooseDestination, decide, type Visitor } from '#core/routing/decide.ts';
import { osTypes } from '#core/links/draft.ts';
import { comparableLanguage, compileLanguages } from '#core/routing/languages.ts';
import { toLocation } from '#core/routing/location.ts';
import { noUtm, setUtm } from '#core/routing/utm.ts';
import { anyCharacter, anyUrl } from '#test/support/texts.ts';

const nowMs = Date.UTC(2030, 0, 1);

const to = (url: string): CompiledDestination => ({
  type: 'link',
  url,
  location: url,
  threatTypes: [],
  refusesFrames: false,
  enableDeepLinking: false,
  iosDeepLink: null,
  androidDeepLink: null,
});

const rule = (conditions: Partial<CompiledRule>, url: string): CompiledRule => ({
  countries: null,
  languages: null,
  osTypes: null,
  destination: to(url),
  ...conditions,
});

const domain: CompiledDomain = {
  id: 'd',
  organizationId: 'o',
  domain: 'go.example',
  fallbackLocation: null,
  appleAppSiteAssociation: null,
  androidAssetLinks: null,
};
const withFallback: CompiledDomain = { ...domain, fallbackLocation: 'https://fallback.example/' };

const plainLink: CompiledLink = {
  id: 'l',
  organizationId: 'o',
  domainId: 'd',
  folderId: 'f',
  tagIds: [],
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
  destination: to('https://example.com/'),
  rules: [],
};

const visitor: Visitor = {
  query: '',
  country: null,
  language: null,
  osType: 'other',
  isBot: false,
  isPreviewer: false,
};
const visit = (link: Partial<CompiledLink>, rest: object = {}) =>
  decide({ domain, link: { ...plainLink, ...link }, visitor, nowMs, ...rest });

describe('the decision of a visit (4.3)', () => {
  test("visitors of a link that staff took down are never sent to the domain's fallback", () => {
    const off = { isActive: false, isTakenDown: true };
    expect(visit(off, { domain: withFallback })).toEqual({ kind: 'notFound' });
  });

  test('a link redirects', () => {
    expect(visit({})).toEqual({ kind: 'redirect', location: 'https://example.com/', url: 'https://example.com/' });
  });

  test('the bare domain, unknown and inactive links', () => {
    const elsewhere = { kind: 'elsewhere', location: 'https://fallback.example/' };
    expect(decide({ domain, link: undefined, visitor, nowMs })).toEqual({ kind: 'bare', isPlatform: false });
    const platform = { ...domain, organizationId: null };
    expect(decide({ domain: platform, link: undefined, visitor, nowMs })).toEqual({ kind: 'bare', isPlatform: true });
    expect(decide({ domain: withFallback, link: undefined, visitor, nowMs })).toEqual(elsewhere);
    expect(decide({ domain, link: null, visitor, nowMs })).toEqual({ kind: 'notFound' });
    expect(decide({ domain: withFallback, link: null, visitor, nowMs })).toEqual(elsewhere);
    expect(visit({ isActive: false })).toEqual({ kind: 'notFound' });
    expect(visit({ isActive: false }, { domain: withFallback })).toEqual(elsewhere);
  });

  test('expiry holds to the millisecond', () => {
    expect(visit({ expiresAtMs: nowMs + 1 }).kind).toBe('redirect');
    expect(visit({ expiresAtMs: nowMs })).toEqual({ kind: 'gone', endedAtMs: nowMs });
    const expired = { expiresAtMs: nowMs, expiredLocation: 'https://over.example/' };
    expect(visit(expired, { domain: withFallback })).toEqual({ kind: 'elsewhere', location: 'https://over.example/' });
    expect(visit({ expiresAtMs: nowMs }, { domain: withFallback }).kind).toBe('gone');
  });

  test('the order: active, expiry, password, cap (4.4)', () => {
    const all = { isActive: false, expiresAtMs: nowMs, passwordHash: 'hash', maxClicks: 1 };
    expect(visit(all).kind).toBe('notFound');
    expect(visit({ ...all, isActive: true }).kind).toBe('gone');
    expect(visit({ ...all, isActive: true, expiresAtMs: null })).toEqual({ kind: 'password' });
    const capped = { maxClicks: 1, expiredLocation: 'https://over.example/' };
    expect(visit(capped).kind).toBe('cap');
    expect(visit(capped, { cap: 'granted' }).kind).toBe('redirect');
    expect(visit(capped, { cap: 'spent' })).toEqual({ kind: 'elsewhere', location: 'https://over.example/' });
    expect(visit({ maxClicks: 7 }, { cap: 'spent' })).toEqual({ kind: 'gone', maxClicks: 7 });
  });

  test('the query is forwarded only where the link says so, and only to web addresses', () => {
    const query = { visitor: { ...visitor, query: 'a=1&qr=1&ü' } };
    expect(visit({}, query)).toMatchObject({ location: 'https://example.com/' });
    expect(visit({ forwardQuery: true }, query)).toMatchObject({
      location: 'https://example.com/?a=1&%C3%BC',
      url: 'https://example.com/',
    });
    const destination: CompiledDestination = { ...to('tel:+49301234567'), type: 'phone' };
    expect(visit({ forwardQuery: true, destination }, query)).toMatchObject({ location: 'tel:+49301234567' });
  });
});

describe('rules (4.5)', () => {
  const goesTo = (rules: CompiledRule[], facts: Partial<Visitor>): string =>
    chooseDestination({ ...plainLink, rules }, { ...visitor, ...facts }).url;

  test('the first rule whose conditions all hold wins', () => {
    const rules = [
      rule({ countries: ['DE'], languages: ['de'] }, 'both'),
      rule({ countries: ['DE', 'AT'] }, 'country'),
      rule({ osTypes: ['ios'] }, 'os'),
    ];
    expect(goesTo(rules, { country: 'DE', language: 'de-AT' })).toBe('both');
    expect(goesTo(rules, { country: 'DE', language: 'en' })).toBe('country');
    expect(goesTo(rules, { country: 'AT', language: 'de', osType: 'ios' })).toBe('country');
    expect(goesTo(rules, { country: null, language: 'de', osType: 'ios' })).toBe('os');
    expect(goesTo(rules, { country: 'US', language: 'de' })).toBe('https://example.com/');
  });

  test.each([
    ['no', 'nb-NO', true],
    ['no', 'nn', true],
    ['no-NO', 'nb-NO', true],
    ['nb', 'no', false],
    ['nb', 'nn', false],
    ['iw', 'he-IL', true],
    ['he', 'iw-IL', true],
    ['in', 'id', true],
    ['ji-US', 'yi-US', true],
    ['mo', 'ro-MD', true],
    ['zh-TW', 'zh-Hant', true],
    ['zh-TW', 'zh-Hans', false],
    ['zh-TW', 'zh-Hans-TW', false],
    ['zh-CN', 'zh-Hans-TW', true],
    ['zh', 'zh-Hant-HK', true],
    ['sr-RS', 'sr-Latn-RS', true],
    ['sr-RS', 'sr-Latn', false],
    ['hi-IN', 'hi-Latn-IN', true],
    ['uz-UZ', 'uz-Cyrl-UZ', true],
    ['bs-BA', 'bs-Cyrl-BA', true],
    ['sr-BA', 'sr-Latn-BA', false],
    ['tl', 'fil-PH', true],
  ])('a rule for %s matches a browser in %s: %s', (wanted, spoken, isMatch) => {
    const rules = [rule({ languages: compileLanguages([wanted]) }, 'yes')];
    const found = goesTo(rules, { language: comparableLanguage(spoken) });
    expect(found).toBe(isMatch ? 'yes' : 'https://example.com/');
  });

  test('the language xx matches any region, xx-YY that region alone', () => {
    expect(goesTo([rule({ languages: ['pt'] }, 'yes')], { language: 'pt-BR' })).toBe('yes');
    expect(goesTo([rule({ languages: ['pt-BR'] }, 'yes')], { language: 'pt-BR' })).toBe('yes');
    expect(goesTo([rule({ languages: ['pt-BR'] }, 'yes')], { language: 'pt' })).toBe('https://example.com/');
    expect(goesTo([rule({ languages: ['pt-BR'] }, 'yes')], { language: 'pt-PT' })).toBe('https://example.com/');
    expect(goesTo([rule({ languages: ['fi'] }, 'yes')], { language: 'fil' })).toBe('https://example.com/');
    expect(goesTo([rule({ languages: ['fi'] }, 'yes')], { language: null })).toBe('https://example.com/');
  });

  test('a destination whose rule does not match is never chosen', () => {
    const codes = ['DE', 'AT', 'US'];
    const languages = ['de', 'de-AT', 'en'];
    const some = <T>(values: readonly T[]) => fc.option(fc.subarray([...values], { minLength: 1 }), { nil: null });
    const anyRule = fc.record({ countries: some(codes), languages: some(languages), osTypes: some(osTypes) });
    const facts = fc.record({
      country: fc.option(fc.constantFrom(...codes), { nil: null }),
      language: fc.option(fc.constantFrom(...languages), { nil: null }),
      osType: fc.constantFrom(...osTypes),
    });
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 5 }), facts, (conditions, who) => {
        const holds = ({ countries, languages: spoken, osTypes: systems }: (typeof conditions)[number]): boolean =>
          (countries === null || countries.includes(who.country!)) &&
          (systems === null || systems.includes(who.osType)) &&
          (spoken === null ||
            (who.language !== null && (spoken.includes(who.language) || spoken.includes(who.language.slice(0, 2)))));
        const first = conditions.findIndex(holds);
        const rules = conditions.map((condition, index) => rule(condition, String(index)));
        expect(goesTo(rules, who)).toBe(first === -1 ? 'https://example.com/' : String(first));
      }),
    );
  });
});

describe('how a link leads to its destination', () => {
  const metaTags = { title: 'Title', description: null, imageKey: null };
  const apps: CompiledDestination = {
    ...to('https://example.com/'),
    enableDeepLinking: true,
    iosDeepLink: 'app://open',
    androidDeepLink: 'app://android',
  };
  const of = (osType: Visitor['osType']) => ({ visitor: { ...visitor, osType } });

  test('previewers get the meta tags of links that have some; other visitors do not (4.9)', () => {
    const previewer = { visitor: { ...visitor, isPreviewer: true } };
    expect(visit({ metaTags }, previewer)).toEqual({
      kind: 'preview',
      metaTags,
      location: 'https://example.com/',
      url: 'https://example.com/',
    });
    expect(visit({ metaTags, cloaking: true }, previewer).kind).toBe('preview');
    expect(visit({}, previewer).kind).toBe('redirect');
    expect(visit({ metaTags }).kind).toBe('redirect');
    expect(visit({ metaTags, passwordHash: 'hash' }, previewer)).toEqual({ kind: 'password' });
    expect(visit({ metaTags, maxClicks: 1 }, { ...previewer, cap: 'spent' }).kind).toBe('gone');
  });

  test('deep links by operating system, before cloaking (4.11)', () => {
    const link = { destination: apps, cloaking: true };
    const rest = { location: 'https://example.com/', url: 'https://example.com/' };
    expect(visit(link, of('ios'))).toEqual({ kind: 'deepLink', deepLink: 'app://open', ...rest });
    expect(visit(link, of('android'))).toEqual({
      kind: 'redirect',
      location: 'intent://android#Intent;scheme=app;S.browser_fallback_url=https%3A%2F%2Fexample.com%2F;end',
      url: rest.url,
    });
    const inApp = { visitor: { ...visitor, osType: 'android', isAndroidWebView: true } };
    expect(visit(link, inApp)).toEqual({ kind: 'deepLink', deepLink: apps.androidDeepLink, ...rest });
    const web = { ...apps, androidDeepLink: 'https://app.example/' };
    expect(visit({ destination: web }, of('android'))).toEqual({
      kind: 'deepLink',
      deepLink: 'https://app.example/',
      ...rest,
    });
    expect(visit(link, of('windows')).kind).toBe('cloak');
    expect(visit({ destination: { ...apps, enableDeepLinking: false } }, of('ios')).kind).toBe('redirect');
    expect(visit({ destination: { ...apps, iosDeepLink: null } }, of('ios')).kind).toBe('redirect');
    const bot = { visitor: { ...visitor, osType: 'android', isBot: true } };
    expect(visit({ destination: apps }, bot)).toEqual({ kind: 'redirect', ...rest });
    const intent = 'intent://open/#Intent;scheme=app;end';
    expect(visit({ destination: { ...apps, androidDeepLink: intent } }, of('android'))).toEqual({
      kind: 'redirect',
      location: intent,
      url: 'https://example.com/',
    });
  });

  test('a cloaked page has the title of the meta tags, else the host; mail and phone links are not cloaked (4.8)', () => {
    expect(visit({ cloaking: true })).toMatchObject({ kind: 'cloak', title: 'example.com' });
    expect(visit({ cloaking: true, metaTags })).toMatchObject({ kind: 'cloak', title: 'Title' });
    expect(visit({ cloaking: true, metaTags: { ...metaTags, title: ' \n' } })).toMatchObject({ title: 'example.com' });
    const unframed = { ...to('https://example.com/'), refusesFrames: true };
    expect(visit({ cloaking: true, destination: unframed }).kind).toBe('redirect');
    const mail: CompiledDestination = { ...to('mailto:a@b.example'), type: 'mail' };
    expect(visit({ cloaking: true, destination: mail }).kind).toBe('redirect');
  });

  test('bots get the redirect of a cloaked link (4.10)', () => {
    expect(visit({ cloaking: true }, { visitor: { ...visitor, isBot: true } }).kind).toBe('redirect');
    const previewer = { visitor: { ...visitor, isBot: true, isPreviewer: true } };
    expect(visit({ cloaking: true }, previewer).kind).toBe('redirect');
    expect(visit({ cloaking: true, metaTags }, previewer).kind).toBe('preview');
  });

  test('the right password opens the link', () => {
    expect(visit({ passwordHash: 'hash' }, { isAdmitted: true }).kind).toBe('redirect');
    expect(visit({ passwordHash: 'hash', maxClicks: 1 }, { isAdmitted: true }).kind).toBe('cap');
  });

  test('whatever the destination, the campaign and the visitor’s query: no header can be injected, no byte is changed', () => {
    const value = fc.option(fc.string({ unit: anyCharacter, maxLength: 20 }), { nil: null });
    fc.assert(
      fc.property(
        anyUrl,
        fc.tuple(value, value, value, value, value),
        fc.stringMatching(/^[\u0021-\u007e]*$/),
        fc.boolean(),
        (url, utm, query, forwardQuery) => {
          const location = toLocation(setUtm(url, utm));
          const decision = visit(
            { destination: { ...to(url), location }, forwardQuery },
            { visitor: { ...visitor, query: query.replaceAll('#', '') } },
          );
          expect(decision.kind).toBe('redirect');
          const led = decision as Extract<typeof decision, { kind: 'redirect' }>;
          expect(led.url).toBe(url);
          expect(led.location).toMatch(/^[\u0021-\u007e]*$/);
          const [, base = '', fragment = ''] = /^([^?#]*)[^#]*(#.*)?$/s.exec(toLocation(url))!;
          expect(led.location.startsWith(base)).toBe(true);
          expect(led.location.endsWith(fragment)).toBe(true);
          if (!forwardQuery) expect(led.location).toBe(location);
        },
      ),
    );
  });
});
