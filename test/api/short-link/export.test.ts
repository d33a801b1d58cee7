import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { linkColumns } from '#core/imports/link-columns.ts';
import { createDomain, createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { type ImportStack, startImportStack } from '#test/support/import-stack.ts';
import { createManyLinks } from '#test/support/edge-factories.ts';
import { isNight } from '#test/support/night.ts';
import { anyUrl } from '#test/support/texts.ts';

let stack: ImportStack;
beforeAll(async () => {
  stack = await startImportStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const headersOf = ({ key }: TestOrganization) => ({ headers: { 'x-api-key': key } });

async function exported(organization: TestOrganization, query = ''): Promise<string> {
  const answer = await stack.api.app.inject({ url: `/short-link/export${query}`, ...headersOf(organization) });
  expect(answer.statusCode).toBe(200);
  return answer.body;
}
const rowsOf = (text: string): Record<string, string>[] => parse(text, { columns: true });

async function create(organization: TestOrganization, body: object) {
  const answer = await stack.api.call('POST', '/short-link', body, headersOf(organization));
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}
const link = (value = 'https://example.com/') => ({ type: 'link', value });

describe('GET /short-link/export 200', () => {
  test('a header and nothing more where there are no links', async () => {
    const organization = await createOrganization(stack.api.db);
    const header = `${linkColumns.map((column) => `"${column}"`).join(',')}\r\n`;
    expect(await exported(organization)).toBe(header);
    expect(await exported(organization, '?bom=1')).toBe(`\uFEFF${header}`);
  });

  test('to HEAD the same headers, and nothing is sent', async () => {
    const options = { url: '/short-link/export', ...headersOf(stack.api.organization) };
    const { statusCode, headers, body } = await stack.api.app.inject({ method: 'HEAD', ...options });
    expect([statusCode, body]).toEqual([200, '']);
    expect(headers['content-disposition']).toBe('attachment; filename="short-links.csv"');
  });

  test('all that a link has, as an attachment', async () => {
    const organization = await createOrganization(stack.api.db);
    const { id, originUrl, createdAt } = await create(organization, {
      slug: 'grüße',
      destination: { ...link('https://example.com/?a="b"&c=d,e'), iosDeepLink: 'app://x', enableDeepLinking: true },
      title: '=cmd()',
      tags: ['one', 'two'],
      maxClicks: 5,
      password: 'secret',
    });
    const { headers, body } = await stack.api.app.inject({ url: '/short-link/export', ...headersOf(organization) });
    expect(headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(headers['content-disposition']).toBe('attachment; filename="short-links.csv"');
    expect(rowsOf(body)).toEqual([
      expect.objectContaining({
        id,
        originUrl,
        domain: 'localhost',
        slug: 'grüße',
        destinationType: 'link',
        destination: 'https://example.com/?a="b"&c=d,e',
        title: "'=cmd()",
        folder: 'Links',
        tags: 'one|two',
        isActive: 'true',
        expiresAt: '',
        maxClicks: '5',
        currentClicks: '0',
        hasPassword: 'true',
        enableDeepLinking: 'true',
        iosDeepLink: 'app://x',
        rules: '',
        createdAt,
      }),
    ]);
    expect(body).not.toContain('secret');
  });

  test('newest first, page after page, each once', { tags: 'slow' }, async () => {
    const organization = await createOrganization(stack.api.db);
    const domain = await createDomain(stack.api.db, organization.id);
    // Several at the same moment, on both sides of a page's end.
    const { id: organizationId, folderId } = organization;
    await createManyLinks(stack.api.db, { organizationId, domainId: domain.id, folderId }, 1_203, { atOnce: 7 });
    const rows = rowsOf(await exported(organization));
    expect(new Set(rows.map(({ id }) => id)).size).toBe(1_203);
    const order = rows.map(({ createdAt, id }) => `${createdAt} ${id}`);
    expect(order).toEqual(order.toSorted().toReversed());
  });
});

describe('an export', () => {
  const text = fc.oneof(
    fc.string({ minLength: 1, maxLength: 20 }),
    fc.constantFrom(
      '=1+1',
      "'=1+1",
      "''-x",
      '@x',
      "'",
      ' spaced ',
      'x;=1',
      'x;＝1',
      "x\t'@y",
      'x\n-1',
      'a,b',
      'a|b',
      '["a"]',
      '"',
      'line\nbreak',
      'ä😀',
      '\ttab',
    ),
  );
  const named = text.filter((value) => value.trim() !== '' && !value.includes('\u0000'));
  const whole = text.filter((value) => !value.includes('\u0000'));
  const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
  const destination = fc.oneof(
    anyUrl.map((value) => ({ type: 'link', value })),
    fc.constantFrom(
      { type: 'mail', value: 'someone@example.com' },
      { type: 'phone', value: '+49301234567' },
      {
        type: 'link',
        value: 'https://example.com/',
        enableDeepLinking: true,
        iosDeepLink: 'app://x',
        androidDeepLink: 'intent://y',
      },
    ),
  );
  const model = fc.record(
    {
      destination,
      title: optional(whole),
      tags: optional(
        fc.uniqueArray(
          named.map((value) => value.trim()),
          { maxLength: 3, selector: (tag) => tag.toLowerCase() },
        ),
      ),
      isActive: optional(fc.boolean()),
      expiresAt: optional(fc.constantFrom('2099-01-01T00:00:00.000Z')),
      expiredUrl: optional(fc.constantFrom('https://example.org/over?a=b')),
      maxClicks: optional(fc.integer({ min: 1, max: 1e9 })),
      cloaking: optional(fc.boolean()),
      forwardQuery: optional(fc.boolean()),
      utmSource: optional(whole),
      utmContent: optional(whole),
      metaTags: optional(fc.constantFrom({ title: 'A "title"', description: 'Two\nlines' }, { description: '-x' })),
      rules: optional(
        fc.constantFrom([
          { priority: 1, countries: ['DE'], destination: link('https://example.com/de') },
          { priority: 0, languages: ['fr-FR'], osTypes: ['ios'], destination: { type: 'phone', value: '+4930' } },
        ]),
      ),
      qrCode: optional(fc.constantFrom(null, { options: { width: 300 } })),
    },
    { requiredKeys: ['destination'] },
  );

  // What only one of two can have, or what comes from where it is.
  const own = new Set([
    'id',
    'organizationId',
    'domainId',
    'domain',
    'folderId',
    'folder',
    'originUrl',
    'destinationId',
    'qrCodeId',
    'updatedAt',
  ]);

  function comparable(shown: Record<string, unknown>): unknown {
    const {
      tags,
      rules,
      destination: shownDestination,
    } = shown as Record<'tags' | 'rules', { name: string }[]> & {
      destination: object;
    };
    return {
      ...Object.fromEntries(Object.entries(shown).filter(([name]) => !own.has(name))),
      destination: { ...shownDestination, threatTypes: null },
      tags: tags.map(({ name }) => name),
      rules: rules.map((rule) => ({ ...rule, id: null })),
    };
  }

  test('another organization imports an export as it was', { tags: 'slow' }, async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(model, { minLength: 1, maxLength: 6 }), async (bodies) => {
        const [from, to] = [await createOrganization(stack.api.db), await createOrganization(stack.api.db)];
        const [own, other] = [await createDomain(stack.api.db, from.id), await createDomain(stack.api.db, to.id)];
        const links: Record<string, unknown>[] = [];
        for (const body of bodies) {
          const { status, body: shown } = await stack.api.call(
            'POST',
            '/short-link',
            { ...body, domainId: own.id, externalId: `e${links.length}` },
            headersOf(from),
          );
          // What a create refuses is of no interest here.
          if (status === 201) links.push(shown);
        }
        const { counts, rows } = await stack.run(await exported(from), { domainId: other.id }, to.key);
        expect({ counts, rows }).toMatchObject({ counts: { total: links.length, imported: links.length } });
        for (const [index, { shortLinkId }] of rows.entries()) {
          const { body } = await stack.api.call('GET', `/short-link/${shortLinkId}`, undefined, headersOf(to));
          expect(comparable(body)).toEqual(comparable(links.at(-1 - index)!));
          compared += 1;
        }
      }),
      { numRuns: isNight ? 12 : 4 },
    );
    // Otherwise nothing was tried.
    expect(compared).toBeGreaterThan(3);
  });

  test(
    'an imported export keeps folders, makes missing ones, and names fields that it cannot bring',
    { tags: 'slow' },
    async () => {
      const [from, to] = [await createOrganization(stack.api.db), await createOrganization(stack.api.db)];
      const other = await createDomain(stack.api.db, to.id);
      const folder = await stack.api.call('POST', '/folder', { name: 'Spring' }, headersOf(from));
      await create(from, { slug: 'b-one', destination: link(), folderId: folder.body.id });
      await create(from, { slug: 'b-two', destination: link(), password: 'secret' });
      await create(from, { slug: 'b-three', destination: link(), folderId: folder.body.id });
      const { rows } = await stack.run(await exported(from), { domainId: other.id }, to.key);
      expect(rows.map(({ state }) => state)).toEqual(['imported', 'failed', 'imported']);
      const list = await stack.api.call('GET', '/short-link/import/list', undefined, headersOf(to));
      expect(list.body.data[0].remarks.join(' ')).not.toContain('no field is read from');
      expect(rows[1]!.error).toMatch(/^hasPassword: /);
      const { body } = await stack.api.call('GET', '/folder/list', undefined, headersOf(to));
      expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['Links', 'Spring']);
      // Here, its own domain is another organization's.
      const again = await stack.run((await exported(from)).replaceAll('localhost', 'elsewhere.example'), {}, to.key);
      expect(new Set(again.rows.map(({ error }) => error))).toContain('This domain does not exist.');
    },
  );
});
