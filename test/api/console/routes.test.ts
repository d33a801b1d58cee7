import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { makeFolder } from '#test/support/folders.ts';

const folder = makeFolder();
const script = 'console.log("hello");\n'.repeat(100);
mkdirSync(join(folder, 'assets'));
writeFileSync(join(folder, 'assets', 'index-abc.js'), script);
writeFileSync(join(folder, 'assets', 'index-abc.js.gz'), gzipSync(script));
writeFileSync(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
writeFileSync(join(folder, 'stamp'), 'secret');
writeFileSync(
  join(folder, 'index.html'),
  '<meta name="waymark-base" content="" /><meta property="csp-nonce" nonce="WAYMARK_NONCE"><script src="./assets/index-abc.js"></script>',
);

const built = useOwnTestApi({ consoleFolder: folder });
const below = useOwnTestApi({ consoleFolder: folder, baseUrl: 'https://example.com/waymark/' });
const unbuilt = useOwnTestApi({ consoleFolder: join(folder, 'nothing') });
const browser = { accept: 'text/html,*/*' };

describe('GET /console', () => {
  it.each(['/console', '/console/', '/console/links/1/edit', '/console/sign-in?email=a@b.example'])(
    '%s is the page, with a nonce of its own and a policy that lets nothing in from elsewhere',
    async (url) => {
      const [one, other] = [await built.app.inject({ url }), await built.app.inject({ url })];
      expect(one.statusCode).toBe(200);
      const nonce = /nonce="([^"]+)"/.exec(one.body)![1]!;
      expect(Buffer.from(nonce, 'base64')).toHaveLength(16);
      expect(other.body).not.toContain(nonce);
      const policy = String(one.headers['content-security-policy']).split('; ');
      expect(policy).toContain(`style-src 'self' 'nonce-${nonce}'`);
      for (const part of [
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
      ]) {
        expect(policy).toContain(part);
      }
      expect(policy.join(' ').replace(nonce, '')).not.toMatch(/unsafe|\*|https?:/);
      expect(one.headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'x-robots-tag': 'noindex',
      });
      expect(one.body).toContain('content="http://localhost:3000/"');
      expect(one.body).toContain('src="/console/assets/index-abc.js"');
    },
  );

  it('below a path, the page names the path', async () => {
    const { body } = await below.app.inject({ url: '/console/links' });
    expect(body).toContain('src="/waymark/console/assets/index-abc.js"');
    expect(body).toContain('content="https://example.com/waymark/"');
  });

  it('answers 503 with a page that looks again while the console is not built', async () => {
    const answer = await unbuilt.app.inject({ url: '/console/links' });
    expect(answer).toMatchObject({ statusCode: 503, headers: { 'retry-after': '2' } });
    expect(answer.body).toContain('http-equiv="refresh"');
    expect(answer.body).toContain('npm run console');
  });

  it('is no part of the description of the API, and needs neither key nor session', { tags: 'slow' }, async () => {
    expect((await built.app.inject({ url: '/doc' })).body).not.toContain('"/console');
    expect((await built.app.inject({ url: '/console', method: 'HEAD' })).statusCode).toBe(200);
  });
});

describe('GET /console/assets/{name}', () => {
  it('is kept by browsers for good, in the compression that they take', async () => {
    const plain = await built.app.inject({ url: '/console/assets/index-abc.js' });
    expect(plain).toMatchObject({ statusCode: 200, body: script });
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(plain.headers['content-type']).toContain('javascript');
    const headers = { 'accept-encoding': 'gzip' };
    const small = await built.app.inject({ url: '/console/assets/index-abc.js', headers });
    expect(small.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': plain.headers['content-type'],
    });
    expect(small.rawPayload.length).toBeLessThan(script.length / 5);
  });

  it.each([
    '/console/assets/..%2fstamp',
    '/console/assets/%2e%2e%2fstamp',
    '/console/assets/none.js',
    '/console/assets/..',
  ])('%s gives away nothing', async (url) => {
    const answer = await built.app.inject({ url });
    expect(answer.body).not.toContain('secret');
    expect(answer.statusCode).not.toBe(500);
  });
});

describe('GET /', () => {
  it('leads a browser to the console, and is unknown to programs', async () => {
    const answer = await built.app.inject({ url: '/', headers: browser });
    expect(answer).toMatchObject({ statusCode: 302, headers: { location: '/console' } });
    expect((await below.app.inject({ url: '/', headers: browser })).headers.location).toBe('/waymark/console');
    expect(await built.call('GET', '/')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });
});
