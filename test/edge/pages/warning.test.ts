import { hash } from '@node-rs/argon2';
import { describe, expect, test } from 'vitest';
import { updateOrganization } from '#commands/organizations/organizations.ts';
import { requestVerdicts, storeVerdicts, withLanes } from '#commands/threats/verdicts.ts';
import { hexHashOfUrl } from '#core/threats/url-hash.ts';
import { createSite } from '#core/links/site.ts';
import type { ThreatPolicy } from '#core/threats/policy.ts';
import { createTestEdge, type EdgeAnswer, useTestEdge } from '#test/support/edge.ts';
import { createDomain } from '#test/support/factories.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';

const edge = useTestEdge({ trustedProxies: ['127.0.0.1'] });

const client = '198.18.0.1';
let counter = 0;
/** A link to a page with threats, on a host of its own. */
async function flaggedLink(
  fields: Parameters<typeof edge.link>[0] = {},
): Promise<{ id: string; slug: string; url: string }> {
  const url = `https://bad-${(counter += 1)}.example/path?secret=1`;
  const link = await edge.link({ ...fields, destination: { value: url, threatTypes: ['MALWARE'] } });
  return { ...link, url };
}
const visitFrom = (slug: string, headers: Record<string, string> = {}, from = client): Promise<EdgeAnswer> =>
  edge.visit(`/${slug}`, { headers: { 'x-forwarded-for': from, ...headers } });
const goOn = (
  slug: string,
  pass: string,
  headers: Record<string, string> = {},
  from = client,
  fields: Record<string, string> = {},
): Promise<EdgeAnswer> =>
  edge.visit(`/${slug}`, {
    method: 'POST',
    body: new URLSearchParams({ pass, ...fields }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': from, ...headers },
  });
const passOf = ({ body }: EdgeAnswer): string => / name="pass" value="([^"]+)"/.exec(body)![1]!;
const isWarning = ({ status, body }: EdgeAnswer): boolean =>
  status === 200 && body.includes('<title>Warning: this link may be dangerous</title>');
const setPolicy = (policy: ThreatPolicy): Promise<unknown> =>
  emOf(edge.db).transactional((em) => updateOrganization(em, edge.organization.id, { threatPolicy: policy }));

describe('a link with known threats (4.15)', () => {
  test('shows the threat and the host, and nothing that leads there by itself', async () => {
    const { slug, id, url } = await flaggedLink({ metaTags: { title: 'Shown' } });
    for (const userAgent of ['Mozilla/5.0 Firefox/120.0', 'WhatsApp/2.23.20.0 A', 'Googlebot/2.1']) {
      const answer = await visitFrom(slug, { 'user-agent': userAgent });
      expect(isWarning(answer)).toBe(true);
      expect(answer.body).toContain(new URL(url).host);
      expect(answer.body).toContain('Malware was found there');
      expect(answer.body).not.toMatch(/secret|Shown|href="http/);
      expect(answer.headers).toMatchObject({ 'x-robots-tag': 'noindex', 'cache-control': 'private, no-store' });
      expect(answer.headers).not.toHaveProperty('location');
    }
    expect((await visitFrom(slug, { 'accept-language': 'de' })).body).toContain('Dort wurde Schadsoftware gefunden');
    expect(await edge.clicks(id)).toEqual([]);
  });

  test('goes on by the form, which is then the one visit', async () => {
    const { slug, id, url } = await flaggedLink({ maxClicks: 1 });
    const warning = await visitFrom(slug);
    const answer = await goOn(slug, passOf(warning), { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': 'document' });
    expect(answer.status).toBe(302);
    expect(answer.headers.location).toBe(url);
    await eventually(
      () => edge.clicks(id),
      ({ length }) => length === 1,
    );
    expect((await goOn(slug, passOf(warning))).status).toBe(410);
  });

  test.each([
    ['https://News.example:8443/a?b', 'news.example'],
    [undefined, null],
    ['https://"><script>/', null],
  ])('the visit after it came from the page with the link: %s', async (referer, expected) => {
    const { slug, id } = await flaggedLink();
    const warning = await visitFrom(slug, referer === undefined ? {} : { referer });
    const referrer = / name="referrer" value="([^"]*)"/.exec(warning.body)![1]!;
    expect((await goOn(slug, passOf(warning), {}, client, { referrer })).status).toBe(302);
    const [click] = await eventually(
      () => edge.clicks(id),
      ({ length }) => length === 1,
    );
    expect(click).toMatchObject({ referer: expected });
  });

  test.each(['x y', 'x'.repeat(300), 'Ä.example', ''])('a referrer of %j in its form is none', async (referrer) => {
    const { slug, id } = await flaggedLink();
    await goOn(slug, passOf(await visitFrom(slug)), {}, client, { referrer });
    const [click] = await eventually(
      () => edge.clicks(id),
      ({ length }) => length === 1,
    );
    expect(click).toMatchObject({ referer: null });
  });

  test.each<[what: string, change: (pass: string) => Parameters<typeof goOn> extends [string, ...infer R] ? R : never]>(
    [
      ['without a pass', () => ['']],
      ['with an invented pass', () => [`9999999999.${'a'.repeat(43)}`]],
      ['from another address', (pass) => [pass, {}, '198.18.0.2']],
      ['by a form of another site', (pass) => [pass, { 'sec-fetch-site': 'cross-site' }]],
    ],
  )('warns again %s', async (_what, change) => {
    const { slug, id } = await flaggedLink();
    expect(isWarning(await goOn(slug, ...change(passOf(await visitFrom(slug)))))).toBe(true);
    expect(await edge.clicks(id)).toEqual([]);
  });

  test('a pass is for one link, and for ten minutes', async () => {
    const [one, other] = [await flaggedLink(), await flaggedLink()];
    expect(isWarning(await goOn(other.slug, passOf(await visitFrom(one.slug))))).toBe(true);
    const startMs = Date.now();
    let passedMs = 0;
    await using clocked = await createTestEdge({ now: () => startMs + passedMs });
    const destination = { value: 'https://bad.example/', threatTypes: ['SOCIAL_ENGINEERING'] } as const;
    const { slug } = await clocked.link({ destination });
    const body = new URLSearchParams({ pass: passOf(await clocked.visit(`/${slug}`)) }).toString();
    const post = (): Promise<EdgeAnswer> =>
      clocked.visit(`/${slug}`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    expect((await post()).status).toBe(302);
    passedMs = 601_000;
    expect(isWarning(await post())).toBe(true);
  });

  test('asks for the password first, and a password is no pass', async () => {
    const passwordHash = await hash('open sesame', { memoryCost: 64, timeCost: 1, parallelism: 1 });
    const { slug, url } = await flaggedLink({ passwordHash });
    expect((await visitFrom(slug)).body).not.toContain(new URL(url).host);
    const given = await edge.visit(`/${slug}`, {
      method: 'POST',
      body: new URLSearchParams({ password: 'open sesame' }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': client },
    });
    expect(given.status).toBe(303);
    const cookie = given.headers['set-cookie']![0]!.split(';')[0]!;
    const warning = await visitFrom(slug, { cookie });
    expect(isWarning(warning)).toBe(true);
    expect((await goOn(slug, passOf(warning), { cookie })).headers.location).toBe(url);
    expect((await goOn(slug, passOf(warning))).body).toContain('name="password"');
  });

  test('a rule’s destination alone is warned of where it is chosen, and no POST leads elsewhere', async () => {
    const { id, slug } = await edge.link({
      maxClicks: 1,
      rules: [{ osTypes: ['ios'], destination: { value: 'https://rule-bad.example/', threatTypes: ['MALWARE'] } }],
    });
    expect(
      isWarning(await visitFrom(slug, { 'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)' })),
    ).toBe(true);
    expect((await goOn(slug, '')).status).toBe(405);
    expect((await visitFrom(slug)).status).toBe(302);
    expect((await goOn(slug, '')).status).toBe(410);
    await eventually(
      () => edge.clicks(id),
      ({ length }) => length === 1,
    );
  });

  test('the organization decides, in force at the edge within a second: block answers 410, pass redirects', async () => {
    const { slug, url } = await flaggedLink();
    const plain = await edge.link();
    const becomes = (status: number): Promise<EdgeAnswer> =>
      eventually(
        () => visitFrom(slug),
        (answer) => answer.status === status,
      );
    await becomes(200);
    await setPolicy('block');
    const blocked = await becomes(410);
    expect(blocked.body).toContain('This link is blocked');
    expect(blocked.body).not.toContain('bad-');
    expect((await goOn(slug, 'x')).status).toBe(405);
    expect((await visitFrom(plain.slug)).status).toBe(302);
    await setPolicy('pass');
    expect((await becomes(302)).headers.location).toBe(url);
    await setPolicy('warn');
    await becomes(200);
  });

  test('a verdict that changes is in force at the edge within a second', async () => {
    const url = 'https://turns-bad.example/';
    const { slug } = await edge.link({ destination: { value: url, threatTypes: [] } });
    expect((await visitFrom(slug)).status).toBe(302);
    const site = createSite({ scheme: 'https', platformDomain: 'platform.example' });
    const store = (threatTypes: 'MALWARE'[]): Promise<void> =>
      storeVerdicts(
        emOf(edge.db),
        [{ urlHash: hexHashOfUrl(url), threatTypes, expiresAt: new Date(Date.now() + 60_000) }],
        site,
      );
    await store(['MALWARE']);
    await eventually(() => visitFrom(slug), isWarning);
    await store([]);
    await eventually(
      () => visitFrom(slug),
      ({ status }) => status === 302,
    );
  });
});

describe('addresses for visitors who do not come to a destination (4.15)', () => {
  const site = createSite({ scheme: 'https', platformDomain: 'platform.example' });

  /** Asks for the verdict of a link's expired URL or of a domain's fallback, and stores what the scanner found. */
  async function scan(id: string, url: string, threatTypes: 'MALWARE'[]): Promise<void> {
    await edge.db.transaction((tx) => requestVerdicts(tx, withLanes(edge.organization.id, [{ id, url }])));
    const expiresAt = new Date(Date.now() + 60_000);
    await storeVerdicts(emOf(edge.db), [{ urlHash: hexHashOfUrl(url), threatTypes, expiresAt }], site);
  }

  test('a flagged expiredUrl is not opened, unless the policy is pass', async () => {
    const expiredUrl = 'https://expired-bad.example/';
    const { id, slug } = await edge.link({ expiresAt: new Date(0), expiredUrl });
    const visit = (status: number): Promise<EdgeAnswer> =>
      eventually(
        () => visitFrom(slug),
        (answer) => answer.status === status,
      );
    expect((await visit(302)).headers.location).toBe(expiredUrl);
    await scan(id, expiredUrl, ['MALWARE']);
    expect((await visit(410)).body).not.toContain('expired-bad');
    await setPolicy('pass');
    expect((await visit(302)).headers.location).toBe(expiredUrl);
    await setPolicy('block');
    await visit(410);
    await scan(id, expiredUrl, []);
    await visit(302);
    await setPolicy('warn');
  });

  test('a flagged fallbackUrl is not opened, unless the policy is pass', async () => {
    const fallbackUrl = 'https://fallback-bad.example/';
    const { id, domain: host } = await createDomain(edge.db, edge.organization.id, { fallbackUrl });
    const visit = (path: string, status: number): Promise<EdgeAnswer> =>
      eventually(
        () => edge.visit(path, { host }),
        (answer) => answer.status === status,
      );
    expect((await visit('/unknown', 302)).headers.location).toBe(fallbackUrl);
    await scan(id, fallbackUrl, ['MALWARE']);
    await visit('/unknown', 404);
    await visit('/', 200);
    await setPolicy('pass');
    await visit('/', 302);
    await setPolicy('warn');
    await visit('/', 200);
    await scan(id, fallbackUrl, []);
    await visit('/unknown', 302);
  });
});
