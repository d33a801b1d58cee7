import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLinkSchema, osTypes } from '#core/links/draft.ts';
import { compileDraft } from '#core/routing/compiled/compile-draft.ts';
import { readCompiledLinks } from '#db/links/visits/compiled.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { isNight } from '#test/support/night.ts';

const api = useOwnTestApi();

const some = <T>(values: readonly T[]) => fc.option(fc.subarray([...values], { minLength: 1 }), { nil: null });
const maybe = <T>(...values: T[]) => fc.constantFrom(undefined, null, ...values);

const anyDestination = fc.oneof(
  fc.record(
    {
      type: fc.constant('link'),
      value: fc.constantFrom('https://example.com/?utm_source=a#b', 'https://müller.example/ü', 'HTTP://X.example'),
      enableDeepLinking: maybe(true, false),
      iosDeepLink: maybe('app://ios'),
      androidDeepLink: maybe('intent://a#Intent;end'),
    },
    { requiredKeys: ['type', 'value'] },
  ),
  fc.constant({ type: 'mail', value: 'jörg@müller.example' }),
  fc.constant({ type: 'phone', value: '+49 (30) 123-456' }),
);

const anyRule = fc
  .record({
    priority: fc.constantFrom(0, 1, 1.5, 2),
    countries: some(['DE', 'at']),
    languages: some(['de', 'DE-at']),
    osTypes: some(osTypes),
    destination: anyDestination,
  })
  .filter((rule) => (rule.countries ?? rule.languages ?? rule.osTypes) !== null);

const anyBody = fc.record(
  {
    destination: anyDestination,
    rules: fc.option(fc.array(anyRule, { maxLength: 4 }), { nil: null }),
    isActive: fc.boolean(),
    isArchived: fc.boolean(),
    expiresAt: maybe('2090-01-01T00:00:00.123+02:00'),
    expiredUrl: maybe('https://over.example/ü'),
    maxClicks: maybe(5),
    password: maybe('secret'),
    cloaking: fc.boolean(),
    forwardQuery: fc.boolean(),
    utmSource: maybe('', 'a b'),
    utmContent: maybe('ü'),
    metaTags: maybe({}, { title: '' }, { title: 'Title', description: null }, { description: 'Text' }),
  },
  { requiredKeys: ['destination'] },
);

it('a draft is compiled as its stored link is', { tags: 'slow' }, async () => {
  await fc.assert(
    fc.asyncProperty(anyBody, async (body) => {
      const made = await api.call('POST', '/short-link', body);
      expect(made).toMatchObject({ status: 201 });
      const stored = await readCompiledLinks(api.db, made.body.domainId, [made.body.slug]);
      const link = stored.get(made.body.slug)!;
      const { passwordHash } = link;
      const ids = { id: '', organizationId: '', domainId: '', folderId: '' };
      expect(compileDraft(createLinkSchema.parse(body))).toEqual({
        ...link,
        ...ids,
        passwordHash: passwordHash === null ? null : '',
      });
    }),
    { numRuns: isNight ? 60 : 15 },
  );
});
