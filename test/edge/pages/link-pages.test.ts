import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCloakPage, createDeepLinkPage, createPreviewPage } from '#edge/pages/link-pages.ts';
import { pageLanguage, texts } from '#edge/pages/texts/texts.ts';
import { createDomain, createFile } from '#test/support/factories.ts';
import { useTestEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { anyCharacter } from '#test/support/texts.ts';

const edge = useTestEdge();

const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1';
const android =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36';
const as = (userAgent: string) => ({ headers: { 'user-agent': userAgent } });
const clicksOf = (id: string, count: number) =>
  eventually(
    () => edge.clicks(id),
    ({ length }) => length >= count,
  );

describe('previews (4.9)', () => {
  test('their crawlers get the tags and a link; people and other bots the redirect; nothing counts but people', async () => {
    const imageId = await createFile(edge.db, edge.organization.id, 'meta-tag');
    await edge.db.query('update files set width = 1200, height = 630 where id = $1', [imageId]);
    const link = await edge.link({
      metaTags: { title: 'Über "uns" & <mehr>', description: 'Two\nlines', imageId },
      title: 'internal',
      utm: { source: 'x' },
    });
    const answer = await edge.visit(`/${link.slug}`, as('WhatsApp/2.23.20.0 A'));
    expect(answer.status).toBe(200);
    const title = 'Über &quot;uns&quot; &amp; &lt;mehr&gt;';
    const { rows } = await edge.db.query<{ key: string }>('select url_key as key from files where id = $1', [imageId]);
    const image = `https://files.example/files/${rows[0]!.key}`;
    for (const tag of [
      `<title>${title}</title>`,
      `<meta property="og:title" content="${title}">`,
      `<meta property="og:description" content="Two\nlines">`,
      `<meta property="og:image" content="${image}">`,
      '<meta property="og:image:width" content="1200">',
      '<meta property="og:image:height" content="630">',
      '<meta name="twitter:card" content="summary_large_image">',
      `<meta name="twitter:image" content="${image}">`,
      `href="https://example.com/${link.slug}?utm_source=x"`,
    ]) {
      expect(answer.body).toContain(tag);
    }
    expect(answer.body).not.toContain('internal');
    expect((await edge.visit(`/${link.slug}`, as('Googlebot/2.1'))).status).toBe(302);
    expect((await edge.visit(`/${link.slug}`)).status).toBe(302);
    expect(await clicksOf(link.id, 1)).toHaveLength(1);
    const bare = await edge.link();
    expect((await edge.visit(`/${bare.slug}`, as('Twitterbot/1.0'))).status).toBe(302);
    const empty = await edge.link({ metaTags: { title: '' } });
    expect((await edge.visit(`/${empty.slug}`, as('Twitterbot/1.0'))).status).toBe(302);
    const spent = await edge.link({ metaTags: { title: 'x' }, maxClicks: 1 });
    expect((await edge.visit(`/${spent.slug}`, as('Twitterbot/1.0'))).status).toBe(200);
    expect((await edge.visit(`/${spent.slug}`)).status).toBe(302);
    expect((await edge.visit(`/${spent.slug}`, as('Twitterbot/1.0'))).status).toBe(410);
  });
});

test.each([
  ['https://example.com:8443/path', 'example.com:8443'],
  ['mailto:someone@example.com?subject=Hello', 'someone@example.com'],
  ['tel:+49301234567', '+49301234567'],
])('a preview of %s without a title, or with one of blanks, is titled %s', (location, expected) => {
  for (const title of [null, '', ' \n\u3000']) {
    const metaTags = { title, description: 'x', imageKey: null };
    const page = createPreviewPage({ kind: 'preview', metaTags, location, url: location }, 'en', String);
    expect(page.body.toString()).toContain(`<title>${expected}</title>`);
    expect(page.body.toString()).toContain(`<meta property="og:title" content="${expected}">`);
  }
});

describe('cloaking (4.8)', () => {
  test('a page that refuses frames is redirected to, in place of an empty frame', async () => {
    const value = 'https://refuses.example/';
    const link = await edge.link({ cloaking: true, destination: { value, threatTypes: [] } });
    await edge.db.query('update destinations set frames_refused_by = url_hash where link_id = $1', [link.id]);
    const answer = await edge.visit(`/${link.slug}`);
    expect([answer.status, answer.headers.location]).toEqual([302, value]);
    expect(await clicksOf(link.id, 1)).toHaveLength(1);
  });

  test('a frame of the destination, counted, titled by the meta tags or the host', async () => {
    const link = await edge.link({
      cloaking: true,
      title: 'internal',
      destination: { value: 'https://a.example/?x="&y' },
    });
    const answer = await edge.visit(`/${link.slug}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toContain('<title>a.example</title>');
    expect(answer.body).toContain('<iframe src="https://a.example/?x=&quot;&amp;y"');
    expect(answer.body).not.toContain('internal');
    expect(answer.headers['content-security-policy']).toContain('frame-src http: https:');
    expect(answer.body).toMatch(
      / sandbox="[a-z -]*allow-scripts[a-z -]*" allow="[^"]*payment 'none'; clipboard-read 'none'/,
    );
    const [click] = await clicksOf(link.id, 1);
    expect(click).toMatchObject({ destination: 'https://a.example/?x="&y' });
    const titled = await edge.link({ cloaking: true, metaTags: { title: 'Ours' } });
    expect((await edge.visit(`/${titled.slug}`)).body).toContain('<title>Ours</title>');
    const phone = await edge.link({ cloaking: true, destination: { type: 'phone', value: '+49301234567' } });
    expect((await edge.visit(`/${phone.slug}`)).headers.location).toBe('tel:+49301234567');
  });
});

test('what Office asks for before it opens a link in the browser is a click where it is redirected, not where it gets a frame', async () => {
  const office = as(
    'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; Win64; x64; Trident/7.0; .NET4.0C; ms-office)',
  );
  const plain = await edge.link();
  const cloaked = await edge.link({ cloaking: true, maxClicks: 1 });
  expect((await edge.visit(`/${plain.slug}`, office)).status).toBe(302);
  expect((await edge.visit(`/${cloaked.slug}`, office)).status).toBe(200);
  expect((await edge.visit(`/${cloaked.slug}`)).status).toBe(200);
  expect((await edge.visit(`/${cloaked.slug}`)).status).toBe(410);
  expect(await clicksOf(plain.id, 1)).toHaveLength(1);
  expect(await clicksOf(cloaked.id, 1)).toMatchObject([{ browser: 'Chrome' }]);
});

describe('deep links (4.11)', () => {
  test('iOS and Android, each its own; anyone else is redirected; all count', async () => {
    const value = 'https://example.com/web';
    const link = await edge.link({
      destination: { value, iosDeepLink: 'ios-app://x', androidDeepLink: 'and-app://y' },
    });
    const ios = await edge.visit(`/${link.slug}`, as(iphone));
    expect(ios.status).toBe(200);
    expect(ios.body).toContain('href="ios-app://x"');
    expect(ios.body).toContain(`href="${value}"`);
    expect(ios.headers['content-security-policy']).toMatch(/script-src 'sha256-[^']+'/);
    // Nothing opens without a tap, with scripts or without.
    expect(ios.body).not.toMatch(/location|http-equiv/);
    expect((await edge.visit(`/${link.slug}`, as(android))).headers.location).toBe(
      'intent://y#Intent;scheme=and-app;S.browser_fallback_url=https%3A%2F%2Fexample.com%2Fweb;end',
    );
    expect((await edge.visit(`/${link.slug}`)).headers.location).toBe(value);
    expect(await clicksOf(link.id, 3)).toHaveLength(3);
    const intent = 'intent://x/#Intent;scheme=app;package=a.b;end';
    const other = await edge.link({ destination: { value, androidDeepLink: intent } });
    expect((await edge.visit(`/${other.slug}`, as(android))).headers.location).toBe(intent);
    expect((await edge.visit(`/${other.slug}`, as(iphone))).headers.location).toBe(value);
    const web = await edge.link({ destination: { value, androidDeepLink: 'https://app.example/y' } });
    expect((await edge.visit(`/${web.slug}`, as(android))).body).toContain('href="https://app.example/y"');
  });

  test('the fallback of an intent has the visitor’s query', async () => {
    const destination = { value: 'https://example.com/web', androidDeepLink: 'and-app://y?z=1' };
    const { slug } = await edge.link({ destination, forwardQuery: true });
    expect((await edge.visit(`/${slug}?a=1;end`, as(android))).headers.location).toBe(
      'intent://y?z=1#Intent;scheme=and-app;S.browser_fallback_url=https%3A%2F%2Fexample.com%2Fweb%3Fa%3D1%3Bend;end',
    );
  });
});

describe('links that lead nowhere any more (4.3)', () => {
  const german = { headers: { 'accept-language': 'de' } };

  test('an expired link says since when', async () => {
    const { slug } = await edge.link({ expiresAt: new Date('2026-05-03T22:30:00Z') });
    const answer = await edge.visit(`/${slug}`);
    expect(answer.status).toBe(410);
    expect(answer.body).toContain('This link ended on 3 May 2026.');
    expect((await edge.visit(`/${slug}`, german)).body).toContain('Dieser Link galt bis zum 3. Mai 2026.');
  });

  test.each([
    [1, 'This link was made for one visit, and has had it.', 'war für einen Besuch gemacht'],
    [1_000, 'This link was made for 1,000 visits, and has had them.', 'war für 1.000 Besuche gemacht'],
  ])('a link made for %d visits says so', async (maxClicks, english, inGerman) => {
    const { id, slug } = await edge.link({ maxClicks });
    await edge.db.query('insert into link_caps (link_id, granted) values ($1, $2)', [id, maxClicks]);
    const answer = await edge.visit(`/${slug}`);
    expect(answer.status).toBe(410);
    expect(answer.body).toContain(english);
    expect((await edge.visit(`/${slug}`, german)).body).toContain(inGerman);
  });
});

test('only a platform domain names Waymark; the pages of a customer’s own domain do not', async () => {
  const guarded = await edge.link({ passwordHash: 'x' });
  const expired = await edge.link({ expiresAt: new Date(0) });
  for (const path of ['/', '/unknown', `/${guarded.slug}`, `/${expired.slug}`, '/favicon.ico', '/robots.txt']) {
    expect((await edge.visit(path)).body).not.toMatch(/waymark/i);
  }
  const { domain } = await createDomain(edge.db, null);
  expect((await edge.visit('/', { host: domain })).body).toContain('<title>Waymark</title>');
});

test('what links say cannot become markup, whatever it is', () => {
  const hostile = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom('"><script>alert(1)</script>', "' onload='x", '</title><img src=x onerror=y>', '&quot;', '\ud800'),
  );
  const shape = (html: string): string => html.replaceAll(/"[^"<>]*"/g, '""').replaceAll(/>[^<>"]*</g, '><');
  const neutral = { title: 'x', description: 'x', imageKey: 'x' };
  const pages = (text: string, metaTags: typeof neutral): string[] => [
    createCloakPage({ kind: 'cloak', title: text, location: text, url: '' }, 'en').body.toString(),
    createPreviewPage({ kind: 'preview', metaTags, location: text, url: text }, 'en', (key) => key).body.toString(),
    createDeepLinkPage({ kind: 'deepLink', deepLink: text, location: text, url: '' }, 'en').body.toString(),
  ];
  const expected = pages('x', neutral).map(shape);
  fc.assert(
    fc.property(
      hostile.filter((text) => text.length > 0),
      (text) => {
        const found = pages(text, { title: text, description: text, imageKey: text });
        expect(found.map(shape)).toEqual(expected);
      },
    ),
  );
});

describe('languages', () => {
  test.each([
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['fr, de;q=0.5, en;q=0.4', 'de'],
    ['en;q=0.3, de;q=0.4', 'de'],
    ['de;q=0', 'en'],
    ['fr', 'en'],
    ['*', 'en'],
    ['x'.repeat(100_000), 'en'],
  ])('%s: %s', (header, language) => {
    expect(pageLanguage(header)).toBe(language);
  });

  test('pages are in the visitor’s', async () => {
    for (const [path, status, name] of [
      ['/unknown', 404, 'notFound'],
      ['/', 200, 'customBare'],
    ] as const) {
      const answer = await edge.visit(path, { headers: { 'accept-language': 'de-DE,de;q=0.9' } });
      expect(answer.status).toBe(status);
      expect(answer.headers['content-language']).toBe('de');
      expect(answer.body).toContain('<html lang="de">');
      expect(answer.body).toContain(texts.de[name].text);
      expect((await edge.visit(path)).body).toContain(texts.en[name].text);
    }
  });
});
