import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLinkSchema } from '#core/links/draft.ts';
import { patchLinkSchema } from '#core/links/patch.ts';
import { bodyOf, type Draft, emptyDraft, patchOf } from '#console/links/editor/draft.ts';
import { conflictsOf, countSet, remainingIssues } from '#console/links/editor/compare.ts';
import { anyUrl } from '#test/support/texts.ts';

const drafts: fc.Arbitrary<Partial<Draft>> = fc.record(
  {
    destination: anyUrl,
    title: fc.string({ maxLength: 20 }),
    notes: fc.string({ maxLength: 20 }),
    tags: fc.uniqueArray(fc.constantFrom('spring', 'print', 'sale')),
    utmSource: fc.constantFrom('', 'newsletter'),
    maxClicks: fc.constantFrom('', '1', '250'),
    expiresAt: fc.constantFrom('', '2031-12-01T12:00'),
    isActive: fc.boolean(),
    cloaking: fc.boolean(),
    password: fc.constantFrom(undefined, null, 'secret'),
    metaTitle: fc.constantFrom('', 'A title'),
    rules: fc.array(
      fc.record({
        key: fc.constant('k'),
        id: fc.constant(undefined),
        countries: fc.constantFrom(['DE'], ['BR', 'PT']),
        languages: fc.constantFrom([], ['de']),
        osTypes: fc.constantFrom([], ['ios' as const]),
        destination: anyUrl,
      }),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: [] },
);

describe('the draft of a link', () => {
  test('a create sends what differs from an empty draft, and the API takes it', () => {
    expect(bodyOf(emptyDraft('example.com/a'))).toEqual({
      destination: { type: 'link', value: 'https://example.com/a' },
    });
    fc.assert(
      fc.property(drafts, (change) => {
        const draft = { ...emptyDraft('https://example.com/'), ...change };
        expect(createLinkSchema.safeParse(bodyOf(draft)).error).toBeUndefined();
      }),
    );
  });

  test('a change sends only the fields that changed, and the API takes it', () => {
    fc.assert(
      fc.property(drafts, drafts, (first, second) => {
        const before = { ...emptyDraft('https://example.com/'), ...first };
        const after = { ...before, ...second };
        expect(patchOf(before, before)).not.toHaveProperty('title');
        const patch = patchOf(before, after);
        expect(patchLinkSchema.safeParse(patch).error).toBeUndefined();
        for (const name of ['title', 'notes', 'utmSource', 'cloaking', 'isActive'] as const) {
          const isChanged =
            typeof before[name] === 'string'
              ? before[name].trim() !== String(after[name]).trim()
              : before[name] !== after[name];
          expect(Object.hasOwn(patch, name)).toBe(isChanged);
        }
      }),
    );
  });

  test('a password is sent when it was typed or removed, and never otherwise', () => {
    const draft = emptyDraft('https://example.com/');
    expect(patchOf(draft, { ...draft, password: 'secret' })).toEqual({ password: 'secret' });
    expect(patchOf(draft, { ...draft, password: null })).toEqual({ password: null });
    expect(patchOf({ ...draft, password: 'secret' }, draft)).toEqual({});
  });
});

test('two changes of a link conflict in the fields alone that both set to different values', () => {
  const before = { ...emptyDraft('https://example.com/'), title: 'Before', maxClicks: '3' };
  const theirs = { ...before, title: 'Theirs', maxClicks: '9', notes: 'the same' };
  expect(conflictsOf(before, { ...before, title: 'Mine', notes: 'the same' }, theirs)).toEqual(['title']);
  expect(conflictsOf(before, { ...before, tags: ['mine'] }, theirs)).toEqual([]);
});

test('the default folder counts as no set field, and a stored password as one', () => {
  const fields = ['folderId', 'tags', 'notes', 'password'] as const;
  const draft = { ...emptyDraft(), folderId: 'default', tags: ['spring'] };
  const count = (change: Partial<Draft>, hasPassword: boolean) =>
    countSet(fields, { ...draft, ...change }, { saved: { hasPassword }, defaultFolderId: 'default' });
  expect(count({}, false)).toBe(1);
  expect(count({ folderId: 'another' }, true)).toBe(3);
  expect(count({ password: null }, true)).toBe(1);
  expect(count({ password: 'secret' }, false)).toBe(2);
});

test('the message at a field goes with a change of that field, and others stay', () => {
  const rule = { key: 'k', id: undefined, countries: [], languages: [], osTypes: [], destination: 'nothing' };
  const before: Draft = { ...emptyDraft('https://example.com/'), maxClicks: 'many', expiredUrl: 'over', rules: [rule] };
  const issues = {
    maxClicks: 'must be a whole number',
    expiredUrl: 'must be an http or https URL',
    'rules.0.countries': 'must have at least one',
    'rules.0.destination.value': 'must be an http or https URL',
    others: 'is unknown',
  };
  const left = (change: Partial<Draft>) => Object.keys(remainingIssues(issues, before, { ...before, ...change }));
  expect(left({ title: 'Another' })).toEqual(Object.keys(issues));
  expect(left({ maxClicks: '10' })).not.toContain('maxClicks');
  expect(left({ expiredUrl: 'https://example.com/' })).toHaveLength(4);
  expect(left({ rules: [{ ...rule, countries: ['DE'] }] })).toEqual([
    'maxClicks',
    'expiredUrl',
    'rules.0.destination.value',
    'others',
  ]);
});
