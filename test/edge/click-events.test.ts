import { expect, test } from 'vitest';
import type { Sql } from '#db/connection/database.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { useTestEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';
import { insertRow } from '#test/support/rows.ts';
import { site } from '#test/support/site.ts';

const geo = {
  version: 1,
  find: () => ({ country: 'BR', region: 'São Paulo', city: 'Campinas \\ "SP"', continent: 'SA' }),
};
const edge = useTestEdge({ geo });

interface EventRow {
  id: string;
  type: string;
  link_id: string;
  organization_id: string;
  body: string;
  created_at: Date;
}

async function subscribe(db: Sql, organizationId: string, events: string[], rest: object = {}): Promise<string> {
  const { id } = await insertRow(db, 'webhooks', { organization_id: organizationId, events, ...rest });
  return id;
}

async function eventsOf(linkId: string): Promise<EventRow[]> {
  return (await edge.db.query<EventRow>('select * from events where link_id = $1 order by id', [linkId])).rows;
}

test('every click of an organization with a subscriber has its event, as the specification shows it', async () => {
  await subscribe(edge.db, edge.organization.id, ['link.created', 'link.clicked']);
  const link = await edge.link({ utm: { source: 'mail', campaign: 'tab\there', content: 'blue' } });
  const visits = [
    edge.visit(`/${link.slug}?qr=1&utm_medium=m`, {
      headers: { referer: 'https://news.example/story', 'accept-language': 'pt-BR' },
    }),
    edge.visit(`/${link.slug}`, { headers: { 'user-agent': 'curl/8' } }),
    edge.visit(`/${link.slug}`, { headers: { 'user-agent': 'Googlebot/2.1' } }),
    edge.visit(`/${link.slug}`, { headers: { 'sec-purpose': 'prefetch' } }),
    edge.visit(`/${link.slug}`, { method: 'HEAD' }),
  ];
  await Promise.all(visits);
  const clicks = await eventually(
    () => edge.clicks(link.id),
    ({ length }) => length >= 2,
  );
  const events = await eventsOf(link.id);
  expect(events.map(({ id }) => id).toSorted()).toEqual(clicks.map(({ id }) => id as string).toSorted());
  for (const event of events) {
    const click = clicks.find(({ id }) => id === event.id)!;
    expect(event).toMatchObject({ type: 'link.clicked', organization_id: edge.organization.id });
    expect(JSON.parse(event.body)).toEqual({
      id: event.id,
      type: 'link.clicked',
      createdAt: event.created_at.toISOString(),
      data: {
        link: { id: link.id, slug: link.slug, shortUrl: site.originUrl(edge.domain.domain, link.slug) },
        click: {
          country: 'BR',
          city: 'Campinas \\ "SP"',
          region: 'São Paulo',
          device: click.device,
          browser: click.browser,
          os: click.os,
          referer: click.is_qr_code ? 'news.example' : null,
          utmSource: 'mail',
          utmMedium: click.is_qr_code ? 'm' : null,
          utmCampaign: 'tabhere',
          utmTerm: null,
          utmContent: 'blue',
          continent: 'SA',
          lang: click.is_qr_code ? 'pt' : null,
          destination: click.destination,
          isQrCode: click.is_qr_code,
          clickedAt: (click.clicked_at as Date).toISOString(),
        },
      },
    });
  }
});

test(
  'only subscribers of link.clicked get events; disabled webhooks miss none, deleted webhooks get none',
  { tags: 'slow' },
  async () => {
    const cases: [events: string[], rest: object, expected: number][] = [
      [['link.created'], {}, 0],
      [['link.clicked'], { is_active: false }, 1],
      [['link.clicked'], { deleted_at: new Date() }, 0],
    ];
    for (const [events, rest, expected] of cases) {
      const organization = await createOrganization(edge.db);
      const domain = await createDomain(edge.db, organization.id);
      await subscribe(edge.db, organization.id, events, rest);
      const link = await edge.link({
        organizationId: organization.id,
        domainId: domain.id,
        folderId: organization.folderId,
      });
      expect((await edge.visit(`/${link.slug}`, { host: domain.domain })).status).toBe(302);
      await eventually(
        () => edge.clicks(link.id),
        ({ length }) => length === 1,
      );
      expect(await eventsOf(link.id)).toHaveLength(expected);
    }
  },
);

test('without the event there is no click, and the other way round', async () => {
  const link = await edge.link();
  await edge.db.query(`alter table events add constraint refuse check (link_id <> '${link.id}')`);
  expect((await edge.visit(`/${link.slug}`)).status).toBe(302);
  const other = await edge.link();
  expect((await edge.visit(`/${other.slug}`)).status).toBe(302);
  await eventually(
    () => eventsOf(other.id),
    ({ length }) => length === 1,
  );
  expect(await edge.clicks(link.id)).toEqual([]);
  expect(await eventsOf(link.id)).toEqual([]);
  await edge.db.query('alter table events drop constraint refuse');
});
