import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCloakPage, createDeepLinkPage, createPreviewPage } from '#edge/pages/link-pages.ts';
import { pageLanguage, texts } from '#edge/pages/texts/texts.ts';
import { createFile } from '#test/support/factories.ts';
import { useTestEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';

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

describe('cloaking (4.8)', () => {
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
    expect((await edge.visit(`/${link.slug}`, as(android))).body).toContain('href="and-app://y"');
    expect((await edge.visit(`/${link.slug}`)).headers.location).toBe(value);
    expect(await clicksOf(link.id, 3)).toHaveLength(3);
    const intent = 'intent://x/#Intent;scheme=app;package=a.b;end';
    const other = await edge.link({ destination: { value, androidDeepLink: intent } });
    expect((await edge.visit(`/${other.slug}`, as(android))).headers.location).toBe(intent);
    expect((await edge.visit(`/${other.slug}`, as(iphone))).headers.location).toBe(value);
  });
});

test('what links say cannot become markup, whatever it is', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"><script>alert(1)</script>', "' onload='x", '</title><img src=x onerror=y>', '&quot;', '\ud800'),
  );
  const shape = (html: string): string => html.replaceAll(/"[^"<>]*"/g, '""').replaceAll(/>[^<>"]*</g, '><');
  const neutral = { title: 'x', description: 'x', imageKey: 'x' };
  const pages = (text: string, metaTags: typeof neutral): string[] => [
    createCloakPage({ kind: 'cloak', title: text, location: text, url: '' }, 'en').body.toString(),
    createPreviewPage({ kind: 'preview', metaTags, location: text }, 'en', (key) => key).body.toString(),
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
      ['/', 200, 'bare'],
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
