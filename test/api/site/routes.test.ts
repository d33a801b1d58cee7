import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { makeFolder } from '#test/support/folders.ts';

const folder = makeFolder();
const page = (title: string): string =>
  `<title>${title}</title><script id="theme">choose()</script><script type="module" src="/docs/assets/app.js"></script>`;
for (const name of ['assets', 'api']) mkdirSync(join(folder, name));
for (const name of ['index', 'api/index', 'webhooks', '404']) writeFileSync(join(folder, `${name}.html`), page(name));
writeFileSync(join(folder, 'webhooks.md'), '# Webhooks\n');
writeFileSync(join(folder, 'llms.txt'), '# Waymark\n');
writeFileSync(join(folder, 'assets/app.js'), 'app()');
writeFileSync(join(folder, 'stamp'), 'secret');
const packed = gzipSync('x'.repeat(100_000));
writeFileSync(join(folder, 'assets-0.1.0.tgz'), packed);
mkdirSync(join(folder, 'github-action'));
writeFileSync(join(folder, 'github-action/action.yml'), 'name: Shorten\n');
mkdirSync(join(folder, 'packages'));
writeFileSync(join(folder, 'packages/SHA256SUMS'), 'abc  assets-0.1.0.tgz\n');

const api = useOwnTestApi({ siteFolder: folder });
const unbuilt = useOwnTestApi({ siteFolder: join(folder, 'nothing') });
const below = useOwnTestApi({ siteFolder: folder, baseUrl: 'https://example.com/waymark/' });

describe('GET /docs', () => {
  it.each([
    ['/docs/', 'index'],
    ['/docs/?from=mail', 'index'],
    ['/docs/api/', 'api/index'],
    ['/docs/webhooks', 'webhooks'],
  ])('200: %s is the page %s, without a key, under a policy that allows its own scripts alone', async (url, title) => {
    const { statusCode, body, headers } = await api.app.inject({ url });
    expect([statusCode, body]).toEqual([200, page(title)]);
    const policy = String(headers['content-security-policy']);
    // printf 'choose()' | openssl dgst -sha256 -binary | base64
    expect(policy).toContain("script-src 'self' 'sha256-pdOmvvglje0xmB57l7Hx65m6LfOdwcBqoRzE95Twu/s='");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy.replace("style-src 'self' 'unsafe-inline'", '')).not.toMatch(/unsafe|\*|https?:/);
    expect(headers['cache-control']).toBe('no-cache');
  });

  it('302: /docs leads to /docs/, below which pages find each other', async () => {
    const { statusCode, headers } = await api.app.inject({ url: '/docs' });
    expect([statusCode, headers.location]).toEqual([302, '/docs/']);
  });

  it('200: a page is there as Markdown, llms.txt lists the pages, and assets are kept for good', async () => {
    const types: unknown[] = [];
    for (const url of ['/docs/webhooks.md', '/docs/llms.txt', '/docs/assets/app.js']) {
      const { statusCode, headers } = await api.app.inject({ url });
      types.push([statusCode, headers['content-type'], headers['cache-control']]);
    }
    expect(types).toEqual([
      [200, 'text/markdown; charset=utf-8', 'public, max-age=3600'],
      [200, 'text/plain; charset=utf-8', 'public, max-age=3600'],
      [200, 'application/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ]);
  });

  it('200: a package is sent as it is', async () => {
    const headers = { 'accept-encoding': 'gzip, br' };
    const answer = await api.app.inject({ url: '/docs/assets-0.1.0.tgz', headers });
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/octet-stream']);
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.rawPayload.equals(packed)).toBe(true);
  });

  it('200: the action for GitHub is sent as it is', async () => {
    const { statusCode, body } = await api.app.inject({ url: '/docs/github-action/action.yml' });
    expect([statusCode, body]).toEqual([200, 'name: Shorten\n']);
  });

  it('200: the checksums of packages are sent', async () => {
    const { statusCode, headers, body } = await api.app.inject({ url: '/docs/packages/SHA256SUMS' });
    expect([statusCode, headers['cache-control'], body]).toEqual([
      200,
      'public, max-age=3600',
      'abc  assets-0.1.0.tgz\n',
    ]);
  });

  it('a page is sent without a warning of Node, also where more plugins wait for its end', async () => {
    using warnings = vi.spyOn(process, 'emitWarning');
    api.app.server.on('request', (_request, response) => {
      for (let more = 0; more < 4; more += 1) response.on('close', () => undefined);
    });
    const address = await api.app.listen({ host: '127.0.0.1', port: 0 });
    expect((await fetch(`${address}/docs/`)).status).toBe(200);
    expect(warnings.mock.calls).toEqual([]);
  });

  it.each(['/docs/nothing', '/docs/stamp', '/docs/api/nothing.md'])('404: %s is a page that says so', async (url) => {
    const { statusCode, body } = await api.app.inject({ url });
    expect([statusCode, body]).toEqual([404, page('404')]);
  });

  it.each(['/docs/..%2Fpackage.json', '/docs/.env', '/docs/a//b', '/docs/assets/nothing.js', '/docs/%00'])(
    '404: %s is no path of the site',
    async (url) => {
      const { statusCode, headers } = await api.app.inject({ url });
      expect([statusCode, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
    },
  );

  it('404: an installation below a path has no site', async () => {
    expect((await below.app.inject({ url: '/docs/' })).statusCode).toBe(404);
  });

  it('503: a page that looks again while the site is not built', async () => {
    const { statusCode, body, headers } = await unbuilt.app.inject({ url: '/docs/webhooks' });
    expect([statusCode, headers['retry-after']]).toEqual([503, '2']);
    expect(body).toContain('npm run site');
  });
});
