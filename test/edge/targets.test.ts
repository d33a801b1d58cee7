import { hash } from '@node-rs/argon2';
import { describe, expect, test } from 'vitest';
import { createDomain } from '#test/support/factories.ts';
import { tellChange } from '#test/support/edge-factories.ts';
import { useTestEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { sendRaw } from '#test/support/raw-http.ts';

const edge = useTestEdge();

describe('slugs and queries', () => {
  test('a slug of any script, percent-encoded or decomposed', async () => {
    const slug = 'größe-👩‍💻';
    await edge.link({ slug });
    for (const path of [
      `/${encodeURIComponent(slug)}`,
      `/${encodeURIComponent(slug).toLowerCase()}`,
      `/${encodeURIComponent(slug.normalize('NFD'))}`,
    ]) {
      expect((await edge.visit(path)).status).toBe(302);
    }
    await edge.link({ slug: 'ab-❤\uFE0F' });
    for (const path of ['/ab-❤', '/ab-❤\uFE0F', '/ab\uFE0F-❤']) {
      expect((await edge.visit(encodeURI(path))).status).toBe(302);
    }
    await edge.link({ slug: 'a.b_c~d-1' });
    expect((await edge.visit('/a%2Eb_c~d%2D1?x')).status).toBe(302);
    expect((await edge.visit('/A.b_c~d-1')).status).toBe(404);
  });

  test.each([
    '/%',
    '/%zz',
    '/%ff',
    '/%00',
    '/a%00b',
    '/a%2fb',
    '/%0d%0aset-cookie:a',
    '//',
    '///',
    '/..',
    '/%2e%2e/',
    '/\\',
    '/?',
    '/?%zz',
    '/%ed%a0%80',
    '/a;b',
    '/*',
    '/:slug',
    '/constructor',
    '/__proto__',
  ])('%s is answered, and not by 500', async (path) => {
    const answer = await edge.visit(path);
    expect([200, 404]).toContain(answer.status);
  });

  test('a miss is looked up once more without what was pasted behind the link', async () => {
    const { slug } = await edge.link({ slug: 'pasted' });
    const found = [
      ')',
      '].',
      ',',
      '.',
      ';',
      '!',
      '"',
      '%22',
      "'",
      '%E2%80%9D',
      '%C2%BB,',
      '%E2%80%8B',
      // U+2066, U+2069, U+202C, U+202E, U+2063, U+061C, U+00AD.
      '%E2%81%A6',
      '%E2%81%A9',
      '%E2%80%AC',
      '%E2%80%AE',
      '%E2%81%A3',
      '%D8%9C',
      '%C2%AD',
      '%C2%A0',
      '%20',
      '>',
    ];
    const queries = ['&utm_source=a', '&x=%zz', '%26x', '%3Futm_source=a', '%3furl=https://example.com/b', ').&x'];
    for (const tail of [...found, ...found.map((text) => `/${text}`), ...found.map((text) => `${text}/`), ...queries])
      expect([tail, (await edge.visit(`/${slug}${tail}`)).status]).toEqual([tail, 302]);
    for (const path of ['/pasted)x', '/(pasted', '/pasted//', '/)', '/&pasted', '/%3F', '/robots.txt)'])
      expect([path, (await edge.visit(path)).status]).toEqual([path, 404]);
    for (const emoji of ['❤️', '🏴󠁧󠁢󠁥󠁮󠁧󠁿']) {
      await edge.link({ slug: emoji });
      expect([emoji, (await edge.visit(`/${encodeURIComponent(emoji)})%E2%81%A9`)).status]).toEqual([emoji, 302]);
    }
    await edge.link({ slug: 'dotted' });
    const own = await edge.link({ slug: 'dotted.', destination: { value: 'https://example.com/with-a-dot' } });
    expect((await edge.visit(`/${own.slug}`)).headers.location).toBe('https://example.com/with-a-dot');
    expect((await edge.visit(`/${own.slug}`, { method: 'POST' })).status).toBe(405);
    expect((await edge.visit('/)', { method: 'POST' })).status).toBe(405);
  });

  test('the cookie of a password is for the link, whatever was pasted behind it', async () => {
    const password = 'a password';
    const { slug } = await edge.link({
      slug: 'secret',
      passwordHash: await hash(password, { memoryCost: 1_024, timeCost: 1 }),
    });
    expect((await edge.visit(`/${slug};Domain=example.com`)).status).toBe(404);
    const answer = await edge.visit(`/${slug}&;Domain=example.com`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ password }).toString(),
    });
    expect(answer).toMatchObject({ status: 303, headers: { location: '/secret' } });
    expect(String(answer.headers['set-cookie'])).toMatch(/Path=\/secret;/);
    expect(String(answer.headers['set-cookie'])).not.toContain('Domain');
  });

  test('a target in absolute form names the host', async () => {
    const { slug } = await edge.link();
    expect((await edge.visit(`http://${edge.domain.domain}/${slug}`, { host: 'other.example' })).status).toBe(302);
    expect((await edge.visit(`http://other.example/${slug}`)).status).toBe(404);
    expect((await edge.visit('*', { method: 'OPTIONS' })).status).toBe(405);
    expect((await edge.visit('ftp://x/')).status).toBe(400);
  });

  test('UTM parameters and the visitor’s query (4.6, 4.12)', async () => {
    const destination = { value: 'https://example.com/?utm_source=old&b=2#part' };
    const utm = { source: 'news letter', campaign: 'ü' };
    const own = await edge.link({ destination, utm });
    const forwarding = await edge.link({ destination, utm, forwardQuery: true });
    const query = 'qr=1&c=%20+&utm_campaign=theirs';
    expect((await edge.visit(`/${own.slug}?${query}`)).headers.location).toBe(
      'https://example.com/?utm_source=news%20letter&b=2&utm_campaign=%C3%BC#part',
    );
    expect((await edge.visit(`/${forwarding.slug}?${query}`)).headers.location).toBe(
      'https://example.com/?utm_source=news%20letter&b=2&c=%20+&utm_campaign=theirs#part',
    );
  });

  test('rules by language and operating system (4.5)', async () => {
    const { slug } = await edge.link({
      rules: [
        { priority: 2, osTypes: ['windows'], destination: { value: 'https://example.com/windows' } },
        { priority: 1, languages: ['de'], destination: { value: 'https://example.com/de' } },
        { priority: 0, countries: ['DE'], destination: { value: 'https://example.com/DE' } },
      ],
    });
    const where = async (headers: Record<string, string>): Promise<string | undefined> =>
      (await edge.visit(`/${slug}`, { headers })).headers.location;
    expect(await where({ 'accept-language': 'en;q=0.8, de-AT' })).toBe('https://example.com/de');
    expect(await where({ 'accept-language': 'en, de;q=0.9' })).toBe('https://example.com/windows');
    expect(await where({ 'user-agent': 'curl/8' })).toBe(`https://example.com/${slug}`);
  });
});

describe('the edge’s own paths', () => {
  test('health, on any host, without a lookup', async () => {
    expect(await edge.visit('/.well-known/waymark/healthz', { host: 'any' })).toMatchObject({
      status: 200,
      body: '{"status":"ok"}',
    });
    const ready = await edge.visit('/.well-known/waymark/readyz', { host: 'any' });
    expect(ready.status).toBe(200);
    expect(JSON.parse(ready.body)).toMatchObject({
      status: 'ok',
      degraded: [],
      notes: [expect.stringMatching(/^GEOIP_DB is not set: rules by country never match/)],
    });
  });

  test('robots.txt and favicon.ico, on hosts that are served (4.1)', async () => {
    expect(await edge.visit('/robots.txt')).toMatchObject({ status: 200, body: 'User-agent: *\nDisallow:\n' });
    const icon = await edge.visit('/favicon.ico');
    expect(icon.status).toBe(200);
    expect(icon.headers['content-type']).toBe('image/svg+xml');
    expect(icon.body).toMatch(/^<svg /);
    for (const path of ['/robots.txt', '/favicon.ico']) {
      expect((await edge.visit(path, { method: 'POST' })).status).toBe(405);
      expect((await edge.visit(path, { host: 'any' })).status).toBe(404);
    }
  });

  test('documents for apps, as they were sent (4.11)', async () => {
    const domain = await createDomain(edge.db, edge.organization.id);
    const paths = [
      '/.well-known/apple-app-site-association',
      '/apple-app-site-association',
      '/.well-known/assetlinks.json',
    ];
    for (const path of paths) expect((await edge.visit(path, { host: domain.domain })).status).toBe(404);
    await edge.db.query('update domains set apple_app_site_association = $2, android_asset_links = $3 where id = $1', [
      domain.id,
      '{"applinks": {"details": []}}',
      '[{"relation": ["x"]}]',
    ]);
    await tellChange(edge.db, { domainId: domain.id });
    await eventually(
      () => edge.visit(paths[0]!, { host: domain.domain }),
      ({ status }) => status === 200,
    );
    for (const [index, path] of paths.entries()) {
      const answer = await edge.visit(path, { host: domain.domain });
      expect(answer.headers['content-type']).toBe('application/json');
      expect(JSON.parse(answer.body)).toEqual(index === 2 ? [{ relation: ['x'] }] : { applinks: { details: [] } });
    }
  });
});

describe('requests that cannot be read', () => {
  const raw = (text: string): Promise<string> => sendRaw(edge.address, text);

  test.each([
    ['no Host header', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['a control character in the target', 'GET /\u0001 HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['a byte beyond ASCII in the target', 'GET /ü HTTP/1.1\r\nhost: x\r\n\r\n', 400],
  ])('%s', async (_what, text, status) => {
    const answer = await raw(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  test('HTTP/1.0 without a host', async () => {
    expect(await raw('GET /x HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.[01] 404 /);
  });
});
