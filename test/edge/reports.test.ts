import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type EdgeAnswer, useTestEdge } from '#test/support/edge.ts';

const edge = useTestEdge({ trustedProxies: ['127.0.0.1'] });

let clients = 0;
const newClient = (): string => `198.18.${(clients += 1)}.1`;
const report = (
  slug: string,
  fields: Record<string, string> = { reason: 'phishing', comment: 'It asks for my PIN.' },
  headers: Record<string, string> = {},
): Promise<EdgeAnswer> =>
  edge.visit(`/.well-known/report?link=${slug}`, {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': newClient(), ...headers },
  });
const stored = async (linkId: string): Promise<Record<string, unknown>[]> =>
  (await edge.db.query('select * from link_reports where link_id = $1 order by created_at', [linkId])).rows;

describe('reports of links by visitors (4.15)', () => {
  test('the form is reached from a warning, and names the link', async () => {
    const { slug } = await edge.link({
      slug: `ü-${randomUUID()}`,
      destination: { value: 'https://bad.example/', threatTypes: ['MALWARE'] },
    });
    const warning = await edge.visit(`/${encodeURIComponent(slug)}`);
    const path = / href="(\/\.well-known\/report\?link=[^"]+)"/.exec(warning.body)![1]!;
    const form = await edge.visit(path);
    expect(form.status).toBe(200);
    expect(form.body).toContain(`${edge.domain.domain}/${encodeURIComponent(slug)}`);
    expect(form.body).not.toMatch(/bad\.example|waymark/i);
    expect(form.headers['x-robots-tag']).toBe('noindex');
    expect((await edge.visit(path, { headers: { 'accept-language': 'de' } })).body).toContain('Einen Link melden');
  });

  test('a second report joins the first, and a client counts once; no address is kept', async () => {
    const { id, slug } = await edge.link();
    const first = await report(slug, undefined, { 'x-forwarded-for': '203.0.113.7' });
    expect(first.status).toBe(200);
    expect(first.body).toContain('Your report was received');
    await report(slug, { reason: 'spam', comment: 'Zweite 🙂 Meldung' });
    await report(slug, undefined, { 'x-forwarded-for': '203.0.113.7' });
    const [row, ...others] = await stored(id);
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      organization_id: edge.organization.id,
      reports: 2,
      notes: [
        { reason: 'phishing', comment: 'It asks for my PIN.' },
        { reason: 'spam', comment: 'Zweite 🙂 Meldung' },
      ],
      closed_at: null,
      handled_at: null,
    });
    expect(JSON.stringify(row)).not.toContain('203.0.113');
  });

  test('a comment has up to 1,000 characters, whatever their bytes', async () => {
    const { id, slug } = await edge.link();
    const comment = '🙂'.repeat(1_000);
    expect((await report(slug, { reason: 'other', comment })).status).toBe(200);
    expect((await report(slug, { reason: 'other', comment: `${comment}x` })).status).toBe(400);
    expect(await stored(id)).toMatchObject([{ reports: 1, notes: [{ reason: 'other', comment }] }]);
  });

  test('a report after the first was closed opens another', async () => {
    const { id, slug } = await edge.link();
    await report(slug);
    await edge.db.query(`update link_reports set closed_at = now(), resolution = 'dismissed' where link_id = $1`, [id]);
    await report(slug);
    expect(await stored(id)).toHaveLength(2);
  });

  test('an open report keeps fifty comments and counts a thousand clients', async () => {
    const { id, slug } = await edge.link();
    await report(slug);
    await edge.db.query(
      `update link_reports set notes = (select jsonb_agg(r.notes -> 0) from generate_series(1, 50), link_reports r where r.link_id = $1),
         clients = array(select 'client ' || n from generate_series(1, 999) n), reports = 999 where link_id = $1`,
      [id],
    );
    await report(slug);
    await report(slug);
    const [row] = await stored(id);
    expect(row).toMatchObject({ reports: 1_000 });
    expect(row!.notes).toHaveLength(50);
  });

  test.each<[what: string, fields: Record<string, string>, headers?: Record<string, string>]>([
    ['without a reason', { comment: 'x' }],
    ['with an unknown reason', { reason: 'x' }],
    ['with a comment that is too long', { reason: 'other', comment: 'x'.repeat(1_001) }],
    ['of more bytes than a form may have', { reason: 'other', comment: '🙂'.repeat(2_000) }],
    ['that is no form', { reason: 'other' }, { 'content-type': 'application/json' }],
    ['by a form of another site', { reason: 'other' }, { 'sec-fetch-site': 'cross-site' }],
  ])('a report %s is 400', async (_what, fields, headers) => {
    const { id, slug } = await edge.link();
    expect((await report(slug, fields, headers)).status).toBe(400);
    expect(await stored(id)).toEqual([]);
  });

  test('a comment of a thousand characters in lines is taken', async () => {
    const { id, slug } = await edge.link();
    const comment = `${'ä'.repeat(499)}\n${'🙂'.repeat(250)}`;
    expect((await report(slug, { reason: 'illegal', comment: comment.replace('\n', '\r\n') })).status).toBe(200);
    expect(await stored(id)).toMatchObject([{ notes: [{ comment }] }]);
  });

  test('unknown and inactive links, and none, are 404', async () => {
    const inactive = await edge.link({ isActive: false });
    for (const query of [`?link=${inactive.slug}`, '?link=unknown', '?link=', '', '?x=1', '?link=%ff']) {
      expect((await edge.visit(`/.well-known/report${query}`)).status).toBe(404);
    }
    expect((await report('unknown')).status).toBe(404);
    expect(await stored(inactive.id)).toEqual([]);
  });

  test('a client that reports more than five times in a minute gets 429, and refused ones do not count', async () => {
    const { slug } = await edge.link();
    const from = { 'x-forwarded-for': newClient() };
    for (let count = 0; count < 6; count += 1)
      expect((await report(slug, { reason: 'other', comment: 'x'.repeat(1_001) }, from)).status).toBe(400);
    const statuses: number[] = [];
    for (let count = 0; count < 6; count += 1) statuses.push((await report(slug, undefined, from)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect(Number((await report(slug, undefined, from)).headers['retry-after'])).toBeGreaterThan(0);
  });
});
