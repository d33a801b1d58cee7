import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DestinationDraft, destinationTypes } from '#core/links/destination.ts';
import { createLinkSchema, osTypes } from '#core/links/draft.ts';
import type { CompiledDestination, CompiledDomain, CompiledLink } from '#core/routing/compiled/compiled-link.ts';
import { compileDraft } from '#core/routing/compiled/compile-draft.ts';
import { chooseDestination, decide } from '#core/routing/decide.ts';
import { explain, toVisitor } from '#core/routing/explain.ts';
import { noUtm } from '#core/routing/utm.ts';
import { isNight } from '#test/support/night.ts';

const nowMs = Date.UTC(2030, 0, 1);
const countries = ['DE', 'AT', 'US'];
const languages = ['de', 'de-AT', 'en'];

const some = <T>(values: readonly T[]) => fc.option(fc.subarray([...values], { minLength: 1 }), { nil: null });
const maybe = <T>(value: T) => fc.option(fc.constant(value), { nil: null });

const anyDestination: fc.Arbitrary<CompiledDestination> = fc
  .record({
    type: fc.constantFrom(...destinationTypes),
    url: fc.constantFrom('https://one.example/?a=1', 'https://two.example/#x', 'tel:+4930'),
    threatTypes: fc.constantFrom([], ['MALWARE' as const]),
    refusesFrames: fc.boolean(),
    enableDeepLinking: fc.boolean(),
    iosDeepLink: maybe('app://ios'),
    androidDeepLink: fc.constantFrom(null, 'app://android', 'https://app.example/', 'intent://a#Intent;end'),
  })
  .map((destination) => ({ ...destination, location: destination.url }));

const anyLink: fc.Arbitrary<CompiledLink> = fc.record({
  id: fc.constant('l'),
  organizationId: fc.constant('o'),
  domainId: fc.constant('d'),
  folderId: fc.constant('f'),
  tagIds: fc.constant([]),
  isActive: fc.boolean(),
  isTakenDown: fc.boolean(),
  honoursGpc: fc.boolean(),
  expiresAtMs: fc.constantFrom(null, nowMs - 1, nowMs, nowMs + 1),
  expiredLocation: maybe('https://over.example/'),
  maxClicks: maybe(7),
  passwordHash: maybe('hash'),
  threatPolicy: fc.constantFrom(null, 'warn' as const, 'block' as const),
  cloaking: fc.boolean(),
  forwardQuery: fc.boolean(),
  utm: fc.constant(noUtm),
  metaTags: maybe({ title: 'Title', description: null, imageKey: null }),
  destination: anyDestination,
  rules: fc.array(
    fc.record({
      countries: some(countries),
      languages: some(languages),
      osTypes: some(osTypes),
      destination: anyDestination,
    }),
    { maxLength: 4 },
  ),
});

const anyVisitor = fc
  .record({
    kind: fc.constantFrom('person' as const, 'previewer' as const, 'bot' as const),
    country: fc.constantFrom(null, ...countries),
    language: fc.constantFrom(null, ...languages),
    osType: fc.constantFrom(...osTypes),
    scansQrCode: fc.boolean(),
    query: fc.constantFrom('', 'b=2', 'utm_source=x&c'),
  })
  .map(toVisitor);

const domain: CompiledDomain = {
  id: 'd',
  organizationId: 'o',
  domain: 'go.example',
  fallbackLocation: null,
  appleAppSiteAssociation: null,
  androidAssetLinks: null,
};

const anyVisit = fc.record({
  domain: fc.constantFrom(domain, { ...domain, fallbackLocation: 'https://fallback.example/' }),
  link: anyLink,
  visitor: anyVisitor,
  nowMs: fc.constant(nowMs),
  cap: fc.constantFrom(undefined, 'granted' as const, 'spent' as const),
  isAdmitted: fc.boolean(),
  isWarned: fc.boolean(),
});

describe('explain', () => {
  it('gives the decision that visitors get', () => {
    fc.assert(
      fc.property(anyVisit, (visit) => {
        const { decision, steps, chosenRule, failedConditions, location } = explain(visit);
        expect(decision).toEqual(decide(visit));
        expect(steps.filter(({ outcome }) => outcome === 'decided')).toHaveLength(1);
        const { link } = visit;
        const { destination } = chosenRule === null ? link : link.rules[chosenRule]!;
        expect(destination).toBe(chooseDestination(link, visit.visitor));
        expect(failedConditions.findIndex((failed) => failed.length === 0)).toBe(chosenRule ?? -1);
        if (decision.kind === 'cloak' || decision.kind === 'preview') expect(decision.location).toBe(location);
      }),
      { numRuns: isNight ? 3_000 : 600 },
    );
  });

  it('tells each step, and why rules do not match', () => {
    const link = compileDraft(
      createLinkSchema.parse({
        destination: { type: 'link', value: 'https://example.com/' },
        forwardQuery: true,
        utmSource: 'print',
        maxClicks: 5,
        rules: [
          { priority: 2, osTypes: ['ios'], destination: { type: 'link', value: 'https://ios.example/' } },
          {
            priority: 1,
            countries: ['US'],
            languages: ['en', 'es'],
            destination: { type: 'phone', value: '+1 555 123' },
          },
        ],
      }),
    );
    const visitor = toVisitor({
      kind: 'person',
      country: 'DE',
      language: 'es-MX',
      osType: 'ios',
      scansQrCode: true,
      query: 'ref=a',
    });
    const visit = { domain, link, visitor, nowMs, cap: 'granted' as const };
    expect(explain(visit)).toEqual({
      decision: {
        kind: 'redirect',
        location: 'https://ios.example/?utm_source=print&ref=a',
        url: 'https://ios.example/',
      },
      steps: [
        ...['active', 'expiry', 'password', 'threats', 'cap', 'rules', 'preview', 'deepLink', 'cloak'].map((name) => ({
          name,
          outcome: 'passed',
        })),
        { name: 'redirect', outcome: 'decided' },
      ],
      failedConditions: [['countries'], []],
      chosenRule: 1,
      location: 'https://ios.example/?utm_source=print&ref=a',
    });
    const { decision, steps } = explain({ ...visit, cap: 'spent' });
    expect(decision).toEqual({ kind: 'gone', maxClicks: 5 });
    expect(steps.slice(4, 6)).toEqual([
      { name: 'cap', outcome: 'decided' },
      { name: 'rules', outcome: 'notReached' },
    ]);
  });
});

describe('compileDraft', () => {
  const leading: DestinationDraft = {
    type: 'link',
    value: 'https://example.com/',
    enableDeepLinking: true,
    iosDeepLink: null,
    androidDeepLink: 'intent://x#Intent;S.browser_fallback_url=https%3A%2F%2Fbad.example%2F;end',
  };
  const threatTypesOf = (url: string) => (url === 'https://bad.example/' ? (['MALWARE'] as const) : []);

  it('flags every destination that may open a flagged address, and leads nobody to a flagged expiredUrl', () => {
    const draft = { destination: leading, expiredUrl: 'https://bad.example/' };
    const link = compileDraft(draft, { threatTypesOf });
    expect(link).toMatchObject({ threatPolicy: 'warn', expiredLocation: null });
    expect(link.destination.threatTypes).toEqual(['MALWARE']);
    expect(compileDraft(draft, { threatTypesOf, threatPolicy: 'block' }).threatPolicy).toBe('block');
    expect(compileDraft(draft, { threatTypesOf, threatPolicy: 'pass' })).toMatchObject({
      threatPolicy: null,
      expiredLocation: 'https://bad.example/',
      destination: { threatTypes: [] },
    });
  });

  it('keeps a password that the draft does not name', () => {
    const draft = { destination: leading };
    expect(compileDraft(draft).passwordHash).toBeNull();
    expect(compileDraft(draft, { hasPassword: true }).passwordHash).not.toBeNull();
    expect(compileDraft({ ...draft, password: null }, { hasPassword: true }).passwordHash).toBeNull();
    expect(compileDraft({ ...draft, password: 'secret' }).passwordHash).not.toBeNull();
  });

  it('asks for the frames of web addresses alone', () => {
    const refusesFrames = () => true;
    expect(compileDraft({ destination: leading }, { refusesFrames }).destination.refusesFrames).toBe(true);
    const mail = { ...leading, type: 'mail' as const, value: 'a@b.example' };
    expect(compileDraft({ destination: mail }, { refusesFrames }).destination.refusesFrames).toBe(false);
  });
});
