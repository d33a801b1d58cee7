import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '#core/errors/errors.ts';
import { reportExpired } from '#commands/links/expire.ts';
import { updateLinks } from '#commands/links/change/update.ts';
import type { LinkPatch } from '#core/links/patch.ts';
import type { EventType } from '#core/webhooks/events.ts';
import { ingest, readOffset } from '#db/clicks/ingest.ts';
import { readClicks } from '#db/clicks/lines.ts';
import { clickLine } from '#test/support/clicks.ts';
import { createLink, deleteLink } from '#test/support/edge-factories.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { allPermissions, createDomain, createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { insertRow } from '#test/support/rows.ts';
import { site } from '#test/support/site.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();
let organization: TestOrganization;
let domain: { id: string; domain: string };
beforeAll(async () => {
  organization = await createOrganization(db);
  domain = await createDomain(db, organization.id);
});

const past = new Date('2026-11-01T12:00:00.000Z');

async function link(fields: { expiresAt?: Date; maxClicks?: number } = {}): Promise<{ id: string; slug: string }> {
  const owner = { organizationId: organization.id, domainId: domain.id, folderId: organization.folderId };
  const made = await createLink(db, { ...owner, ...fields });
  if (fields.maxClicks !== undefined) await insertRow(db, 'link_caps', { link_id: made.id });
  return made;
}

/** `data.link` of the events of a type about a link, the earliest first. */
async function eventsOf(type: EventType, linkId: string): Promise<unknown[]> {
  const { rows } = await db.query<{ body: string }>(
    'select body from events where type = $1 and link_id = $2 order by id',
    [type, linkId],
  );
  return rows.map(({ body }) => JSON.parse(body).data.link);
}

async function patch(id: string, changes: LinkPatch, by: TestOrganization = organization): Promise<boolean> {
  const actor = { organizationId: by.id, userId: by.botId, plan: 'premium' as const, permissions: allPermissions };
  const change = { id, patch: changes };
  const [result] = await emOf(db).transactional((em) => updateLinks(em, actor, [change], { site, now: new Date() }));
  return !(result instanceof AppError);
}

/** Ingests clicks of a link from a journal of their own. */
async function click(linkId: string, count: number, beforeCommit?: () => Promise<void>): Promise<void> {
  const client: PoolClient = await db.pool.connect();
  try {
    const journalId = randomUUID();
    const from = await readOffset(client, journalId);
    const lines = Array.from({ length: count }, () => clickLine({ organization, domain, linkId }));
    const { clicks } = await readClicks(Buffer.from(lines.join('')));
    const batch = { journalId, from, to: { ...from, position: 1 }, clicks, rejected: 0 };
    await ingest(client, site, batch, beforeCommit);
  } finally {
    client.release();
  }
}

describe('link.expired', () => {
  const report = (limit = 100) => emOf(db).transactional((em) => reportExpired(em, { site, now: new Date(), limit }));

  test(
    'a link whose end has passed has one event, also where several processes look for it at once',
    { tags: 'slow' },
    async () => {
      const { id, slug } = await link({ expiresAt: past });
      const later = await link({ expiresAt: new Date(Date.now() + 3_600_000) });
      await Promise.all([report(), report(), report()]);
      expect(await report()).toBe(0);
      const shortUrl = site.originUrl(domain.domain, slug);
      expect(await eventsOf('link.expired', id)).toEqual([{ id, slug, shortUrl, expiresAt: past.toISOString() }]);
      expect(await eventsOf('link.expired', later.id)).toEqual([]);
    },
  );

  test('a transaction that ends before its commit reports nothing, and the next one reports the link', async () => {
    const { id } = await link({ expiresAt: past });
    const failed = emOf(db).transactional(async (em) => {
      await reportExpired(em, { site, now: new Date(), limit: 100 });
      throw new Error('the process ends here');
    });
    await expect(failed).rejects.toThrow('the process ends here');
    expect(await eventsOf('link.expired', id)).toEqual([]);
    await report();
    expect(await eventsOf('link.expired', id)).toHaveLength(1);
  });

  test('batches end when no link is left, and deleted links have no event', async () => {
    const deleted = await link({ expiresAt: past });
    await deleteLink(db, deleted.id);
    await Promise.all(Array.from({ length: 3 }, () => link({ expiresAt: past })));
    expect([await report(2), await report(2), await report(2)]).toEqual([2, 1, 0]);
    expect(await eventsOf('link.expired', deleted.id)).toEqual([]);
  });

  test('each end that passes has its own event, and an end that a call replaces is reported before', async () => {
    const { id } = await link({ expiresAt: past });
    await patch(id, { expiresAt: new Date(Date.now() + 3_600_000) });
    expect(await eventsOf('link.expired', id)).toMatchObject([{ expiresAt: past.toISOString() }]);
    const second = new Date('2026-11-02T12:00:00.000Z');
    await db.query('update short_links set expires_at = $2 where id = $1', [id, second]);
    await report();
    await patch(id, { expiresAt: null });
    await report();
    const ends = [{ expiresAt: past.toISOString() }, { expiresAt: second.toISOString() }];
    expect(await eventsOf('link.expired', id)).toMatchObject(ends);
  });
});

describe('link.capped', () => {
  test('the clicks that reach a cap write one event, and later clicks none', async () => {
    const { id, slug } = await link({ maxClicks: 3 });
    await click(id, 2);
    expect(await eventsOf('link.capped', id)).toEqual([]);
    await click(id, 2);
    await click(id, 1);
    const shortUrl = site.originUrl(domain.domain, slug);
    expect(await eventsOf('link.capped', id)).toEqual([{ id, slug, shortUrl, maxClicks: 3, clicks: 4 }]);
  });

  test('clicks of several journals at the same moment write one event', async () => {
    const { id } = await link({ maxClicks: 4 });
    await Promise.all(Array.from({ length: 6 }, () => click(id, 1)));
    expect(await eventsOf('link.capped', id)).toMatchObject([{ maxClicks: 4, clicks: 4 }]);
  });

  test('an ingest that ends before its commit leaves no event, and its repetition writes it', async () => {
    const { id } = await link({ maxClicks: 1 });
    const end = () => Promise.reject(new Error('the process ends here'));
    await expect(click(id, 1, end)).rejects.toThrow('the process ends here');
    expect(await eventsOf('link.capped', id)).toEqual([]);
    await click(id, 1);
    expect(await eventsOf('link.capped', id)).toHaveLength(1);
  });

  test('a call that sets a cap at or below the clicks so far writes the event, also where clicks come meanwhile', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id } = await link();
      await click(id, 2);
      await Promise.all([click(id, 3), patch(id, { maxClicks: 2 + (round % 4) })]);
      expect(await eventsOf('link.capped', id)).toHaveLength(1);
    }
  });

  test('a higher cap is reported again when the clicks reach it, and a change among caps that are used up is not', async () => {
    const { id } = await link({ maxClicks: 1 });
    await click(id, 3);
    await patch(id, { maxClicks: 2 });
    await patch(id, { maxClicks: 5 });
    expect(await eventsOf('link.capped', id)).toHaveLength(1);
    await click(id, 2);
    expect(await eventsOf('link.capped', id)).toMatchObject([
      { maxClicks: 1, clicks: 3 },
      { maxClicks: 5, clicks: 5 },
    ]);
  });

  test('a refused call of another organization reports nothing and makes no counter', async () => {
    const { id } = await link({ expiresAt: past });
    const other = await createOrganization(db);
    expect(await patch(id, { maxClicks: 1, expiresAt: null }, other)).toBe(false);
    expect(await eventsOf('link.expired', id)).toEqual([]);
    const { rowCount } = await db.query('select from link_counters where link_id = $1', [id]);
    expect(rowCount).toBe(0);
  });
});
