import { describe, expect, test } from 'vitest';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { tellChange } from '#test/support/edge-factories.ts';
import { createTestEdge, type EdgeAnswer, useTestEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';

const edge = useTestEdge();

const isPage = (answer: EdgeAnswer): void => {
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
  expect(answer.headers['cache-control']).toBe('private, no-store');
  expect(answer.headers['x-robots-tag']).toBe('noindex');
  expect(answer.body).not.toContain('<script');
};

describe('hosts (4.1)', () => {
  test.each(['GO.EXAMPLE', 'go.example:3001', 'go.example.', 'Go.Example.:80'])('%s is go.example', async (host) => {
    const domain = await createDomain(edge.db, edge.organization.id, { domain: 'go.example' }).catch(() => null);
    if (domain !== null) await edge.link({ slug: 'x', domainId: domain.id });
    const answer = await eventually(
      () => edge.visit('/x', { host }),
      ({ status }) => status !== 404,
    );
    expect(answer.status).toBe(302);
  });

  test('the platform domain is served without verification', async () => {
    const platform = await createDomain(edge.db, null, { domain: 'wm.test', isVerified: false });
    const { slug } = await edge.link({ domainId: platform.id });
    expect((await edge.visit(`/${slug}`, { host: 'wm.test:3001' })).status).toBe(302);
  });

  test('an international name is found by its punycode', async () => {
    const domain = await createDomain(edge.db, edge.organization.id, { domain: 'xn--bcher-kva.example' });
    const { slug } = await edge.link({ domainId: domain.id });
    expect((await edge.visit(`/${slug}`, { host: 'xn--bcher-kva.example' })).status).toBe(302);
    expect((await edge.visit(`/${slug}`, { host: Buffer.from('bücher.example').toString('latin1') })).status).toBe(302);
  });

  test('any other host: 404, whatever X-Forwarded-Host says', async () => {
    const { slug } = await edge.link();
    for (const host of ['other.example', '127.0.0.1', '[::1]', 'a b', '%']) {
      const answer = await edge.visit(`/${slug}`, { host, headers: { 'x-forwarded-host': edge.domain.domain } });
      expect(answer.status).toBe(404);
      isPage(answer);
    }
  });

  test('domains that are not verified, not active or deleted are not served', async () => {
    for (const change of ['is_verified = false', 'is_active = false', 'deleted_at = now()']) {
      const domain = await createDomain(edge.db, edge.organization.id, { fallbackUrl: 'https://fallback.example/' });
      const { slug } = await edge.link({ domainId: domain.id });
      expect((await edge.visit(`/${slug}`, { host: domain.domain })).status).toBe(302);
      await edge.db.query(`update domains set ${change} where id = $1`, [domain.id]);
      await tellChange(edge.db, { domainId: domain.id });
      const answer = await eventually(
        () => edge.visit(`/${slug}`, { host: domain.domain }),
        ({ status }) => status !== 302,
      );
      expect(answer.status).toBe(404);
    }
  });

  test('links of a suspended or deleted organization: 404, on the platform domain too (2.9)', async () => {
    const platform = await createDomain(edge.db, null);
    for (const change of ['suspended_at = now()', 'deleted_at = now()']) {
      const organization = await createOrganization(edge.db);
      const domain = await createDomain(edge.db, organization.id);
      const rest = { organizationId: organization.id, folderId: organization.folderId };
      const own = await edge.link({ ...rest, domainId: domain.id });
      const shared = await edge.link({ ...rest, domainId: platform.id });
      expect((await edge.visit(`/${own.slug}`, { host: domain.domain })).status).toBe(302);
      expect((await edge.visit(`/${shared.slug}`, { host: platform.domain })).status).toBe(302);
      await edge.db.query(`update organizations set ${change} where id = $1`, [organization.id]);
      await tellChange(edge.db, { domainId: domain.id });
      await tellChange(edge.db, { domainId: platform.id, slugs: [shared.slug] });
      await eventually(
        () => edge.visit(`/${own.slug}`, { host: domain.domain }),
        ({ status }) => status === 404,
      );
      await eventually(
        () => edge.visit(`/${shared.slug}`, { host: platform.domain }),
        ({ status }) => status === 404,
      );
    }
  });
});

describe('answers (4.2, 4.3)', () => {
  test('a redirect', async () => {
    const { slug } = await edge.link({ destination: { value: 'https://müller.example/ü?a=%C3%A4#ß' } });
    const answer = await edge.visit(`/${slug}`);
    expect(answer.status).toBe(302);
    expect(answer.headers.location).toBe('https://xn--mller-kva.example/%C3%BC?a=%C3%A4#%C3%9F');
    expect(answer.headers['cache-control']).toBe('private, no-store');
    expect(answer.headers['x-robots-tag']).toBe('noindex');
    expect(answer.headers).not.toHaveProperty('referrer-policy');
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(answer.body).toBe('');
  });

  test('mail and phone', async () => {
    const mail = await edge.link({ destination: { type: 'mail', value: 'someone@example.com' }, utm: { source: 'x' } });
    const phone = await edge.link({ destination: { type: 'phone', value: '+49301234567' } });
    expect((await edge.visit(`/${mail.slug}`)).headers.location).toBe('mailto:someone@example.com');
    expect((await edge.visit(`/${phone.slug}`)).headers.location).toBe('tel:+49301234567');
  });

  test('HEAD is answered like GET, without a body', async () => {
    const { slug } = await edge.link();
    const answer = await edge.visit(`/${slug}`, { method: 'HEAD' });
    expect(answer.status).toBe(302);
    expect(answer.headers.location).toBe(`https://example.com/${slug}`);
    const missing = await edge.visit('/missing', { method: 'HEAD' });
    expect(missing.status).toBe(404);
    expect(missing.body).toBe('');
    expect(Number(missing.headers['content-length'])).toBeGreaterThan(0);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE'])('%s: 405', async (method) => {
    const { slug } = await edge.link();
    const body = method === 'POST' ? 'a=b' : undefined;
    const answer = await edge.visit(`/${slug}`, { method, body, headers: { 'content-type': 'application/json' } });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('GET, HEAD');
    isPage(answer);
  });

  test('POST to a path without a link: 405', async () => {
    const domain = await createDomain(edge.db, edge.organization.id);
    await edge.db.query(`update domains set apple_app_site_association = '{}' where id = $1`, [domain.id]);
    const { domain: host } = domain;
    for (const path of ['/apple-app-site-association', '/.well-known/assetlinks.json', '/.well-known/x', '/', '/x'])
      expect((await edge.visit(path, { host, method: 'POST' })).status).toBe(405);
    expect((await edge.visit('/apple-app-site-association', { host })).status).toBe(200);
  });

  test('one trailing slash is ignored, two are not', async () => {
    const { slug } = await edge.link();
    expect((await edge.visit(`/${slug}/`)).status).toBe(302);
    expect((await edge.visit(`/${slug}//`)).status).toBe(404);
    expect((await edge.visit(`//${slug}`)).status).toBe(404);
  });

  test('unknown, inactive and deleted links, with a fallback and without', async () => {
    const domain = await createDomain(edge.db, edge.organization.id, { fallbackUrl: 'https://fallback.example/ü' });
    for (const { id, domain: host } of [edge.domain, domain]) {
      const inactive = await edge.link({ domainId: id, isActive: false });
      const deleted = await edge.link({ domainId: id });
      await edge.db.query('update short_links set deleted_at = now() where id = $1', [deleted.id]);
      for (const path of ['/unknown', '/a/b', `/${inactive.slug}`, `/${deleted.slug}`]) {
        const { status, headers } = await edge.visit(path, { host });
        const fallback = [302, 'https://fallback.example/%C3%BC'];
        expect([status, headers.location]).toEqual(id === domain.id ? fallback : [404, undefined]);
      }
    }
    isPage(await edge.visit('/unknown'));
    expect((await edge.visit('/.well-known/acme-challenge/x', { host: domain.domain })).status).toBe(404);
  });

  test('expired links, to the millisecond, whatever is cached', async () => {
    let nowMs = Date.now();
    await using clocked = await createTestEdge({ now: () => nowMs });
    const expiresAt = new Date(nowMs + 1);
    const plain = await clocked.link({ expiresAt });
    const elsewhere = await clocked.link({ expiresAt, expiredUrl: 'https://over.example/' });
    expect((await clocked.visit(`/${plain.slug}`)).headers.location).toBe(`https://example.com/${plain.slug}`);
    expect((await clocked.visit(`/${elsewhere.slug}`)).headers.location).toBe(`https://example.com/${elsewhere.slug}`);
    nowMs += 1;
    const gone = await clocked.visit(`/${plain.slug}`);
    expect(gone.status).toBe(410);
    isPage(gone);
    expect((await clocked.visit(`/${elsewhere.slug}`)).headers.location).toBe('https://over.example/');
  });

  test('the bare domain', async () => {
    const answer = await edge.visit('/');
    expect(answer.status).toBe(200);
    isPage(answer);
    const domain = await createDomain(edge.db, edge.organization.id, { fallbackUrl: 'https://fallback.example/' });
    expect((await edge.visit('/', { host: domain.domain })).headers.location).toBe('https://fallback.example/');
  });
});
