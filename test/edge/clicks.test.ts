import { describe, expect, test } from 'vitest';
import { createTag } from '#test/support/edge-factories.ts';
import { browser, useTestEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';

const edge = useTestEdge();

describe('clicks (5.1)', () => {
  test('hold exactly the derived fields', async () => {
    const tagIds = [await createTag(edge.db, edge.organization.id), await createTag(edge.db, edge.organization.id)];
    const link = await edge.link({ tagIds, utm: { source: 'own', medium: 'email' } });
    const before = Date.now();
    await edge.visit(`/${link.slug}?qr=1&utm_source=visited&utm_term=${'%C3%A4'.repeat(300)}&utm_content=a%00b`, {
      headers: { 'accept-language': 'de-AT,en;q=0.5', referer: 'https://WWW.Search.example:443/path?secret=1' },
    });
    const [click, ...more] = await eventually(
      () => edge.clicks(link.id),
      ({ length }) => length > 0,
    );
    expect(more).toEqual([]);
    expect(click).toMatchObject({
      organization_id: edge.organization.id,
      link_id: link.id,
      domain_id: edge.domain.id,
      folder_id: edge.organization.folderId,
      tag_ids: tagIds,
      country: null,
      region: null,
      city: null,
      continent: null,
      lang: 'de',
      device: 'desktop',
      browser: 'Chrome',
      os: 'Windows',
      referer: 'www.search.example',
      utm_source: 'visited',
      utm_medium: 'email',
      utm_campaign: null,
      utm_term: 'ä'.repeat(255),
      utm_content: 'ab',
      is_qr_code: true,
      destination: `https://example.com/${link.slug}`,
    });
    expect(click!.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(click!.visitor).toHaveLength(16);
    expect((click!.clicked_at as Date).getTime()).toBeGreaterThanOrEqual(before);
    const { rows } = await edge.db.query('select clicks from link_counters where link_id = $1', [link.id]);
    expect(rows).toEqual([{ clicks: 1 }]);
  });

  test('requests for parts of a page are redirected and do not count; pages, frames and scripts’ requests do (4.10)', async () => {
    const link = await edge.link({ maxClicks: 3 });
    const visit = async (destination: string): Promise<number> =>
      (await edge.visit(`/${link.slug}`, { headers: { 'sec-fetch-dest': destination } })).status;
    for (const destination of ['image', 'script', 'style', 'font', 'audio', 'video', 'object', 'worker', 'manifest'])
      expect(await visit(destination)).toBe(302);
    for (const destination of ['document', 'iframe', 'empty']) expect(await visit(destination)).toBe(302);
    for (const destination of ['image', 'document']) expect(await visit(destination)).toBe(410);
    await eventually(
      () => edge.clicks(link.id),
      ({ length }) => length === 3,
    );
  });

  test('of bots’ visits those of answers that lead to the destination are kept, the page of a preview among them (5.10)', async () => {
    const preview = await edge.link({ metaTags: { title: 'Title' } });
    const locked = await edge.link({ passwordHash: 'hash' });
    const agent = { headers: { 'user-agent': 'Slackbot-LinkExpanding 1.0' } };
    expect((await edge.visit(`/${preview.slug}`, agent)).status).toBe(200);
    expect((await edge.visit(`/${locked.slug}`, agent)).status).toBe(200);
    await edge.visit(`/${preview.slug}`, { ...agent, method: 'HEAD' });
    await edge.visit(`/${preview.slug}`, { headers: { ...agent.headers, 'sec-fetch-dest': 'image' } });
    await edge.visit(`/${preview.slug}`);
    await eventually(
      () => edge.clicks(preview.id),
      ({ length }) => length === 1,
    );
    const { rows } = await edge.db.query(
      'select link_id, destination, visitor from bot_clicks where link_id = any($1)',
      [[preview.id, locked.id]],
    );
    expect(rows).toEqual([
      { link_id: preview.id, destination: `https://example.com/${preview.slug}`, visitor: expect.any(Buffer) },
    ]);
  });

  test('bots, HEAD, refused prefetches and redirects elsewhere make no click (4.10)', async () => {
    const link = await edge.link();
    const expired = await edge.link({ expiresAt: new Date(0), expiredUrl: 'https://over.example/' });
    const path = `/${link.slug}`;
    for (const agent of [
      'Twitterbot/1.0',
      'python-requests/2.31',
      'UptimeRobot/2.0',
      browser.replace('Chrome', 'HeadlessChrome'),
    ]) {
      expect((await edge.visit(path, { headers: { 'user-agent': agent } })).status).toBe(302);
    }
    await edge.visit(path, { method: 'HEAD' });
    for (const [name, value] of [
      ['sec-purpose', 'prefetch;prerender'],
      ['purpose', 'prefetch'],
    ] as const)
      expect(await edge.visit(path, { headers: { [name]: value } })).toMatchObject({
        status: 503,
        headers: { 'cache-control': 'private, no-store' },
      });
    await edge.visit(`/${expired.slug}`);
    for (const agent of ['curl/8.5.0', 'Wget/1.21', 'HTTPie/3.2']) {
      expect((await edge.visit(path, { headers: { 'user-agent': agent } })).status).toBe(302);
    }
    const clicks = await eventually(
      () => edge.clicks(link.id),
      ({ length }) => length >= 3,
    );
    expect(clicks.map(({ browser: name }) => name)).toEqual(['curl', 'Wget', 'HTTPie']);
    const bots = await edge.db.query<{ kind: string; reason: string }>(
      'select agent_kind as kind, agent_reason as reason from bot_clicks where link_id = $1 order by clicked_at, ctid',
      [link.id],
    );
    expect(bots.rows.map(({ kind, reason }) => `${kind} ${reason}`)).toEqual([
      'preview link-preview',
      'tool http-library',
      'tool monitor',
      'tool headless-browser',
    ]);
    const counters = await edge.db.query('select clicks from link_counters where link_id = $1', [link.id]);
    expect(counters.rows).toEqual([{ clicks: 3 }]);
    expect(await edge.clicks(expired.id)).toEqual([]);
  });
});
