// @module-tag slow

import { hash } from '@node-rs/argon2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLinkSchema } from '#core/links/draft.ts';
import { tellChange } from '#test/support/edge-factories.ts';
import { createTestEdge, type EdgeAnswer, type TestEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { createTcpProxy, type TcpProxy } from '#test/support/tcp-proxy.ts';

const settings = { memoryCost: 64, timeCost: 1, parallelism: 1 };
let passwordHash: string;
let edge: TestEdge;

beforeAll(async () => {
  passwordHash = await hash('open sesame ä', settings);
  edge = await createTestEdge({ trustedProxies: ['127.0.0.1'] });
});
afterAll(() => edge[Symbol.asyncDispose]());

let clients = 0;
const newClient = (): string => {
  clients += 1;
  return `198.18.${clients >> 8}.${clients & 255}`;
};

function submit(path: string, password: string, from = newClient(), on = edge): Promise<EdgeAnswer> {
  return on.visit(path, {
    method: 'POST',
    body: new URLSearchParams({ password }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': from },
  });
}
const cookieOf = (answer: EdgeAnswer): string => answer.headers['set-cookie']![0]!.split(';')[0]!;

describe('a link with a password (4.7)', () => {
  test('shows a form that reveals nothing about the link', async () => {
    const { slug } = await edge.link({
      passwordHash,
      title: 'Internal secret',
      metaTags: { title: 'Shown secret', description: 'Described secret' },
    });
    for (const userAgent of ['Mozilla/5.0 Firefox/120.0', 'WhatsApp/2.23.20.0 A', 'Googlebot/2.1']) {
      const answer = await edge.visit(`/${slug}`, { headers: { 'user-agent': userAgent } });
      expect(answer.status).toBe(200);
      expect(answer.body).toContain('<form method="post">');
      expect(JSON.stringify(answer)).not.toMatch(/secret|example\.com/);
      expect(answer.headers).not.toHaveProperty('set-cookie');
      expect(answer.headers['cache-control']).toBe('private, no-store');
    }
    expect((await edge.visit(`/${slug}`, { method: 'HEAD' })).status).toBe(200);
    expect(await edge.clicks()).toEqual([]);
  });

  test('opens with the right password: a cookie for an hour, and a redirect to the link', async () => {
    const link = await edge.link({ passwordHash, forwardQuery: true });
    const answer = await submit(`/${link.slug}?a=1`, 'open sesame ä');
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toBe(`/${link.slug}?a=1`);
    expect(answer.headers['set-cookie']).toHaveLength(1);
    expect(answer.headers['set-cookie']![0]).toMatch(
      new RegExp(`^waymark-link=\\S+; Max-Age=3600; Path=/${link.slug}; HttpOnly; SameSite=Lax$`),
    );
    const opened = await edge.visit(`/${link.slug}?a=1`, { headers: { cookie: `x=y; ${cookieOf(answer)}; z` } });
    expect(opened.headers.location).toBe(`https://example.com/${link.slug}?a=1`);
    await eventually(
      () => edge.clicks(link.id),
      ({ length }) => length === 1,
    );
  });

  test('the cookie opens no other link, and expires after an hour or with a new password', async () => {
    const startMs = Date.now();
    let passedMs = 0;
    await using other = await createTestEdge({ now: () => startMs + passedMs, isHttps: true });
    const link = await other.link({ passwordHash });
    const second = await other.link({ passwordHash });
    const answer = await submit(`/${link.slug}`, 'open sesame ä', newClient(), other);
    expect(answer.headers['set-cookie']![0]).toMatch(/; Secure$/);
    const cookie = cookieOf(answer);
    const open = async (slug: string, value: string): Promise<number> =>
      (await other.visit(`/${slug}`, { headers: { cookie: value } })).status;
    expect(await open(link.slug, cookie)).toBe(302);
    expect(await open(second.slug, cookie)).toBe(200);
    expect(
      await open(
        link.slug,
        cookie.replace(/=(\d+)/, (_, end) => `=${Number(end) + 1}`),
      ),
    ).toBe(200);
    expect(await open(link.slug, cookie.slice(0, -1))).toBe(200);
    expect(await open(link.slug, `${'x'.repeat(9_000)}=1; ${cookie}`)).toBe(302);
    // A process whose clock is behind that of the one which signed.
    passedMs = -5_000;
    expect(await open(link.slug, cookie)).toBe(302);
    passedMs = 3_599_000;
    expect(await open(link.slug, cookie)).toBe(302);
    passedMs = 3_601_000;
    expect(await open(link.slug, cookie)).toBe(200);
    passedMs = 0;
    await other.db.query('update short_links set password_hash = $2 where id = $1', [
      link.id,
      await hash('another', settings),
    ]);
    await tellChange(other.db, { domainId: other.domain.id, slugs: [link.slug] });
    await eventually(
      () => open(link.slug, cookie),
      (status) => status === 200,
    );
  });

  test('a wrong password gets the page again, and after ten of one address in 15 minutes 429, for that link alone', async () => {
    const { id, slug } = await edge.link({ passwordHash });
    const other = await edge.link({ passwordHash });
    const client = newClient();
    for (const wrong of ['', 'x', 'Open sesame ä', 'y'.repeat(1_000), ...Array.from({ length: 6 }, () => 'no')]) {
      const answer = await submit(`/${slug}`, wrong, client);
      expect(answer.status).toBe(401);
      expect(answer.body).toContain('role="alert"');
      expect(answer.headers).not.toHaveProperty('set-cookie');
    }
    for (const password of ['no', 'open sesame ä']) {
      const answer = await submit(`/${slug}`, password, client);
      expect(answer.status).toBe(429);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(880);
      expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(900);
    }
    expect((await submit(`/${slug}`, 'open sesame ä')).status).toBe(303);
    expect((await submit(`/${other.slug}`, 'open sesame ä', client)).status).toBe(303);
    // The form itself is there for all.
    expect((await edge.visit(`/${slug}`)).status).toBe(200);
    const { rows } = await edge.db.query<{ client: string; tries: number }>(
      'select client, cardinality(failed_at) as tries from link_password_failures where link_id = $1 order by tries',
      [id],
    );
    expect(rows.map(({ tries }) => tries)).toEqual([0, 10]);
    expect(JSON.stringify(rows)).not.toContain('198.18');
  });

  test('wrong attempts of the last 15 minutes count over all processes, right ones never', async () => {
    const link = await edge.link({ passwordHash });
    const client = newClient();
    for (let round = 0; round < 12; round += 1) {
      expect((await submit(`/${link.slug}`, 'open sesame ä', client)).status).toBe(303);
    }
    for (let round = 0; round < 9; round += 1) await submit(`/${link.slug}`, 'no', client);
    await edge.db.query(
      `update link_password_failures set failed_at = array(select at - interval '16 minutes' from unnest(failed_at) at)
       where link_id = $1`,
      [link.id],
    );
    const answers = await Promise.all(Array.from({ length: 20 }, () => submit(`/${link.slug}`, 'no', client)));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  });

  test('refuses bodies that are no form or too large; expired and inactive links have no form', async () => {
    const { slug } = await edge.link({ passwordHash });
    const post = (body: string, type: string, path = `/${slug}`): Promise<EdgeAnswer> =>
      edge.visit(path, { method: 'POST', body, headers: { 'content-type': type } });
    const form = 'application/x-www-form-urlencoded';
    expect((await post('{"password":"open sesame ä"}', 'application/json')).status).toBe(400);
    expect((await post('a=b', form)).status).toBe(400);
    expect((await post(`password=${'x'.repeat(100_000)}`, form)).status).toBe(400);
    const expired = await edge.link({ passwordHash, expiresAt: new Date(Date.now() - 1) });
    const inactive = await edge.link({ passwordHash, isActive: false });
    const open = await edge.link();
    expect((await post('password=x', form, `/${expired.slug}`)).status).toBe(410);
    expect((await post('password=x', form, `/${inactive.slug}`)).status).toBe(404);
    expect((await post('password=x', form, `/${open.slug}`)).status).toBe(405);
    expect((await post('password=x', form, '/unknown')).status).toBe(405);
    expect((await post('password=x', form, '/')).status).toBe(405);
    expect((await post('password=x', form, '/robots.txt')).status).toBe(405);
  });

  test('a cap is used up only after the password', async () => {
    const link = await edge.link({ passwordHash, maxClicks: 1 });
    const cookie = cookieOf(await submit(`/${link.slug}`, 'open sesame ä'));
    expect((await edge.visit(`/${link.slug}`)).status).toBe(200);
    expect((await edge.visit(`/${link.slug}`, { headers: { cookie } })).status).toBe(302);
    expect((await edge.visit(`/${link.slug}`, { headers: { cookie } })).status).toBe(410);
  });
});

describe('many visitors at the same time', () => {
  // Some 60 ms of a processor each.
  const slowly = (password: string): Promise<string> =>
    hash(password, { memoryCost: 32_768, timeCost: 2, parallelism: 1 });
  const statuses = async (answers: Promise<EdgeAnswer>[]): Promise<Record<number, number>> => {
    const counts: Record<number, number> = {};
    for (const { status } of await Promise.all(answers)) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };

  test(
    '200 visitors with the right password all get in, from as many addresses or from one',
    { tags: 'nightly' },
    async () => {
      const { slug } = await edge.link({
        passwordHash: await hash('right', { memoryCost: 8_192, timeCost: 1, parallelism: 1 }),
      });
      const company = newClient();
      const many = Array.from({ length: 200 }, () => submit(`/${slug}`, 'right'));
      const one = Array.from({ length: 200 }, () => submit(`/${slug}`, 'right', company));
      expect(await statuses([...many, ...one])).toEqual({ 303: 400 });
    },
  );

  test('a right password is never refused because others are still being checked', async () => {
    const { slug } = await edge.link({ passwordHash: await slowly('right') });
    const client = newClient();
    for (let round = 0; round < 9; round += 1) await submit(`/${slug}`, 'wrong', client);
    expect(await statuses(Array.from({ length: 12 }, () => submit(`/${slug}`, 'right', client)))).toEqual({ 303: 12 });
  });

  test(
    '34 guessers on one link delay visitors of another by no more than their turns, and other visitors not at all',
    { tags: 'nightly' },
    async () => {
      const guarded = await edge.link({ passwordHash: await slowly('guarded') });
      const other = await edge.link({ passwordHash: await slowly('other') });
      const plain = await edge.link();
      for (const { slug } of [guarded, other, plain]) await edge.visit(`/${slug}`);
      let checked = 0;
      let isOver = false;
      const guesses = Array.from({ length: 34 }, async () => {
        const answer = await submit(`/${guarded.slug}`, 'wrong');
        checked += 1;
        return answer;
      });
      void Promise.all(guesses).then(() => (isOver = true));
      await eventually(
        () => checked,
        (count) => count > 0,
      );
      const before = checked;
      expect(await statuses([submit(`/${other.slug}`, 'other')])).toEqual({ 303: 1 });
      // The checks under way, one turn of the other link, and an answer at the same moment.
      expect(checked - before).toBeLessThanOrEqual(10);
      const plainAnswers = Array.from({ length: 20 }, () => edge.visit(`/${plain.slug}`));
      expect(await statuses(plainAnswers)).toEqual({ 302: 20 });
      expect(isOver).toBe(false);
      expect(await statuses(guesses)).toEqual({ 401: 34 });
    },
  );

  test(
    'one attempt too many gets 503 with Retry-After, from the address with the most waiting',
    { tags: 'nightly' },
    async () => {
      const guarded = await edge.link({ passwordHash: await slowly('guarded') });
      const other = await edge.link({ passwordHash: await slowly('other') });
      const greedy = newClient();
      const flood = Array.from({ length: 400 }, () => submit(`/${guarded.slug}`, 'wrong', greedy));
      const answers = Promise.all(flood);
      expect(await statuses([submit(`/${other.slug}`, 'other'), submit(`/${guarded.slug}`, 'guarded')])).toEqual({
        303: 2,
      });
      const busy = (await answers).filter(({ status }) => status === 503);
      expect(busy.length).toBeGreaterThan(0);
      for (const { headers } of busy) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      // Ten wrong tries, and no more, were checked.
      expect((await answers).filter(({ status }) => status === 401)).toHaveLength(10);
    },
  );
});

test('passwords are the same however their letters are composed', async () => {
  const composed = 'Zoë café 한국'.normalize('NFC');
  const decomposed = composed.normalize('NFD');
  const { slug } = await edge.link({ passwordHash: await hash(composed, settings) });
  for (const password of [composed, decomposed]) expect((await submit(`/${slug}`, password)).status).toBe(303);
  const old = await edge.link({ passwordHash: await hash(decomposed, settings) });
  expect((await submit(`/${old.slug}`, decomposed)).status).toBe(303);
  expect(
    createLinkSchema.parse({ destination: { type: 'phone', value: '+4930123' }, password: decomposed }).password,
  ).toBe(composed);
});

test('without a database no password is checked: 503 (4.13)', async () => {
  let proxy: TcpProxy | undefined;
  await using other = await createTestEdge({
    async way(url) {
      proxy = await createTcpProxy(url);
      return { pool: proxy.url, listener: url };
    },
  });
  const { slug } = await other.link({ passwordHash });
  const cookie = cookieOf(await submit(`/${slug}`, 'open sesame ä', newClient(), other));
  proxy!.cut();
  const answer = await submit(`/${slug}`, 'open sesame ä', newClient(), other);
  expect(answer.status).toBe(503);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect((await other.visit(`/${slug}`)).status).toBe(200);
  expect((await other.visit(`/${slug}`, { headers: { cookie } })).status).toBe(302);
  proxy!.restore();
  await proxy![Symbol.asyncDispose]();
});
