import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyEvent } from '#test/support/events.ts';
import { pickPlain, plainFields, plainNames, type PlainName, type PlainValues } from '#core/links/fields.ts';
import { snakeCase } from '#core/lib/text/snake-case.ts';
import { uuidv7 } from '#core/lib/uuid.ts';
import { insertLinks, type LinkInsert } from '#db/links/insert.ts';
import { createLinkOwner } from '#test/support/durable.ts';
import { useFixture } from '#test/support/fixture.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { anyCharacter, anyUrl } from '#test/support/texts.ts';
import { isNight } from '#test/support/night.ts';

const db = useTestDatabase();
const owner = useFixture(() => createLinkOwner(db));

const text = fc.option(fc.string({ unit: anyCharacter }).map((value) => value.replaceAll('\0', '').toWellFormed()));
const kinds = {
  text,
  flag: fc.boolean(),
  moment: fc.option(fc.date({ min: new Date(0), max: new Date('9000-01-01'), noInvalidDate: true })),
  count: fc.option(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })),
};
const plain = fc.record(
  Object.fromEntries(plainNames.map((name) => [name, kinds[plainFields[name].kind]])) as Record<
    PlainName,
    fc.Arbitrary<unknown>
  >,
) as fc.Arbitrary<PlainValues>;
const link = fc.record({
  plain,
  destination: fc.record({
    value: anyUrl,
    enableDeepLinking: fc.boolean(),
    iosDeepLink: text,
    androidDeepLink: text,
  }),
  hash: fc.option(fc.uint8Array({ minLength: 32, maxLength: 32 })),
  rule: fc.option(
    fc.record({
      priority: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
      countries: fc.option(fc.array(fc.constantFrom('DE', 'AT'), { minLength: 1 })),
    }),
  ),
});

type Sample = typeof link extends fc.Arbitrary<infer T> ? T : never;

function toInsert({ plain, destination, hash, rule }: Sample): LinkInsert {
  const id = uuidv7();
  const now = new Date();
  const { organizationId, domainId, folderId } = owner;
  const row = { ...destination, type: 'link' as const, deepLinkHashes: null };
  const ruleId = uuidv7();
  return {
    id,
    organizationId,
    domainId,
    folderId,
    qrCodeId: null,
    createdBy: null,
    slug: id,
    passwordHash: null,
    searchText: '',
    createdAt: now,
    reportedExpiry: null,
    ...plain,
    // Unique in the organization.
    externalId: plain.externalId === null ? null : id,
    destinations: [
      { ...row, id: uuidv7(), ruleId: null, urlHash: hash === null ? null : Buffer.from(hash).toString('hex') },
      ...(rule === null ? [] : [{ ...row, id: uuidv7(), ruleId, urlHash: null }]),
    ],
    rules: rule === null ? [] : [{ ...rule, id: ruleId, position: 0, languages: null, osTypes: null }],
    qrCode: null,
    metaTags: null,
    tagIds: [],
    event: anyEvent('link.created', { organizationId, linkId: id, data: { value: destination.value }, now }),
    activity: null,
  };
}

const columns = plainNames.map((name) => `l.${snakeCase(name)} as "${name}"`).join(', ');

async function readBack(ids: readonly string[]): Promise<unknown[]> {
  const { rows } = await db.query(
    `select l.id, l.created_at as "createdAt", l.updated_at as "updatedAt", ${columns},
       (select json_agg(json_build_object('id', d.id, 'ruleId', d.rule_id, 'value', d.value,
          'urlHash', encode(d.url_hash, 'hex'), 'enableDeepLinking', d.enable_deep_linking,
          'iosDeepLink', d.ios_deep_link, 'androidDeepLink', d.android_deep_link) order by d.id)
        from destinations d where d.link_id = l.id) as destinations,
       (select json_agg(json_build_object('id', r.id, 'priority', r.priority, 'position', r.position,
          'countries', r.countries)) from rules r where r.link_id = l.id) as rules,
       (select json_build_object('id', e.id, 'organizationId', e.organization_id, 'type', e.type, 'body', e.body)
        from events e where e.link_id = l.id) as event
     from short_links l where l.id = any($1::uuid[]) order by l.id`,
    [ids],
  );
  return rows;
}

test('links are stored with every value that they have, whatever is null, false or empty', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(link, { minLength: 1, maxLength: 5 }), async (samples) => {
      const inserts = samples.map(toInsert);
      const ids = inserts.map((insert) => insert.id);
      expect(await insertLinks(db, inserts)).toEqual(new Set(ids));
      expect(await readBack(ids)).toEqual(
        inserts.map(({ id, createdAt, destinations, rules, event, ...values }) => ({
          id,
          createdAt,
          updatedAt: createdAt,
          ...pickPlain(values),
          destinations: destinations.map(({ type: _type, deepLinkHashes: _hashes, ...destination }) => destination),
          rules: rules.length === 0 ? null : rules.map(({ languages: _languages, osTypes: _osTypes, ...rule }) => rule),
          event: { id: event.id, organizationId: values.organizationId, type: 'link.created', body: event.body },
        })),
      );
    }),
    { numRuns: isNight ? 60 : 15 },
  );
});

test('a link whose slug is taken is left out with its child rows, and the others are named', async () => {
  const samples = fc.sample(link, 2);
  const [first, second] = samples.map(toInsert);
  const taken = { ...first!, id: uuidv7(), externalId: null };
  expect(await insertLinks(db, [first!])).toEqual(new Set([first!.id]));
  expect(await insertLinks(db, [taken, second!])).toEqual(new Set([second!.id]));
  expect(await insertLinks(db, [taken])).toEqual(new Set());
  const { rows } = await db.query('select 1 from destinations where link_id = $1', [taken.id]);
  expect(rows).toEqual([]);
});
