// @module-tag process

import { readdir } from 'node:fs/promises';
import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { toActivityRow } from '#core/audit/activity.ts';
import { deleteDomain } from '#commands/domains/domains.ts';
import { deleteFolder } from '#commands/labels/folders.ts';
import { deleteLinks } from '#commands/links/delete.ts';
import { deleteOrganization } from '#commands/organizations/organizations.ts';
import { hashOfUrl } from '#core/threats/url-hash.ts';
import type { Actor } from '#core/audit/actor.ts';
import { keepChanges } from '#db/links/changes.ts';
import { rollDay, rollWeek } from '#db/stats/rollups.ts';
import { createStatistics } from '#db/stats/statistics.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { useDeletions } from '#test/support/deletions.ts';
import { createLink } from '#test/support/edge-factories.ts';
import {
  createDomain,
  createFile,
  createFolder,
  createOrganization,
  type TestOrganization,
} from '#test/support/factories.ts';
import { rowsOf, tracesOf } from '#test/support/rows.ts';
import { countGroups, ingestClicks, readBreakdown, type TestClick, testClick } from '#test/support/stats.ts';

// Random organizations, deletions and deaths of workers: no table keeps a row of a deleted subject, and no other row
// is lost.

const dayMs = 86_400_000;
const startMs = Date.UTC(2026, 2, 30);
const countries = ['DE', 'US', 'FR'];

// Small batches and turns, so that deaths interrupt many of them.
const stack = useDeletions(() => ({ turnMs: 50, linksAtOnce: 3, clicksAtOnce: 7, rowsAtOnce: 2 }));

/** A link with child rows of every kind; numbers choose among the folders, tags and domains of its organization. */
const linkArbitrary = fc.record({
  domain: fc.nat(2),
  folder: fc.nat(1),
  url: fc.nat(3),
  clicks: fc.array(fc.record({ day: fc.nat(40), atMs: fc.nat(dayMs - 1), country: fc.nat(2) }), { maxLength: 12 }),
  hasRule: fc.boolean(),
  hasMeta: fc.boolean(),
  hasQrCode: fc.boolean(),
  hasTag: fc.boolean(),
  hasCap: fc.boolean(),
  changes: fc.nat(5),
});
const organizationArbitrary = fc.record({
  links: fc.array(linkArbitrary, { minLength: 2, maxLength: 8 }),
  webhooks: fc.nat(2),
  events: fc.nat(4),
});

type LinkPlan = typeof linkArbitrary extends fc.Arbitrary<infer T> ? T : never;
type OrganizationPlan = typeof organizationArbitrary extends fc.Arbitrary<infer T> ? T : never;

interface World {
  organization: TestOrganization;
  actor: Actor;
  domains: string[];
  folders: string[];
  links: { id: string; domainId: string }[];
  clicks: TestClick[];
  fileIds: string[];
}

const run = (text: string, values: unknown[]) => stack.db.query<Record<string, unknown>>(text, values);

async function createWorld(plan: OrganizationPlan, platformId: string): Promise<World> {
  const organization = await createOrganization(stack.db);
  const { id: organizationId } = organization;
  const actor: Actor = { organizationId, plan: 'premium', userId: organization.botId, permissions: {} };
  const domains = [
    (await createDomain(stack.db, organizationId, { isPrimary: true })).id,
    (await createDomain(stack.db, organizationId)).id,
    platformId,
  ];
  const folders = [organization.folderId, await createFolder(stack.db, organizationId)];
  const tagId = uuidv7();
  await run(`insert into tags (id, organization_id, name, name_key, color) values ($1, $2, 'tag', 'tag', '#112233')`, [
    tagId,
    organizationId,
  ]);
  const fileIds: string[] = [];
  const createImage = async (kind: 'meta-tag' | 'qr-code'): Promise<string> => {
    const id = await createFile(stack.db, organizationId, kind);
    await stack.storage.put(`${kind}/${id}.png`, Buffer.from('picture'), 'image/png');
    fileIds.push(id);
    return id;
  };
  const template = await createQrCode(organizationId, await createImage('qr-code'));
  await run('update domains set qr_code_id = $1 where id = $2', [template, domains[0]]);
  const world: World = { organization, actor, domains, folders, links: [], clicks: [], fileIds };
  for (const link of plan.links) await createPlanned(world, link, { tagId, createImage });
  await ingestClicks(stack.db, world.clicks);
  // It is a Monday.
  for (let day = 0; day < 7; day += 1)
    await rollDay(emOf(stack.db), organizationId, { startMs: startMs + day * dayMs, quarters: 96 });
  await rollWeek(emOf(stack.db), organizationId, startMs);
  for (let index = 0; index < plan.webhooks; index += 1) {
    await run(
      `insert into webhooks (id, organization_id, url, url_key, events, secret_sealed, scope_link_ids)
       values ($1, $2, 'https://hooks.example/', $1::uuid::text, '{link.created,link.deleted}', '', array[new_id()])`,
      [uuidv7(), organizationId],
    );
  }
  await run(
    `with made as (
       insert into events (id, organization_id, type, link_id, body)
       select new_id(), $1, 'link.created', $2, '{}' from generate_series(1, $3::int) returning id
     ), sent as (
       insert into deliveries (id, webhook_id, event_id, type)
       select new_id(), w.id, e.id, 'link.created' from made e cross join webhooks w where w.organization_id = $1 returning id
     ), tried as (
       insert into delivery_attempts (delivery_id, number, at, duration_ms) select id, 1, now(), 5 from sent
     )
     insert into webhook_recoveries (webhook_id, since, until, after_at, after_id)
     select id, now(), now(), now(), id from webhooks where organization_id = $1`,
    [organizationId, world.links[0]!.id, plan.events],
  );
  await run(
    `insert into sessions (id, token_hash, user_id, organization_id, expires_at)
     values ($1::uuid, $2, $3, $4, now() + interval '1 day')`,
    [uuidv7(), Buffer.from(uuidv7()), organization.botId, organizationId],
  );
  await run(
    `insert into invitations (id, organization_id, email, role, invited_by_id, created_at, expires_at, mail_wanted_at)
     values ($1, $2, 'grace@example.com', 'member', $3, now(), now(), now())`,
    [uuidv7(), organizationId, organization.botId],
  );
  await run(
    `insert into idempotency_keys (organization_id, route, key, fingerprint, claim, claimed_until)
     values ($1, 'POST /short-link', 'key', '', $2, now())`,
    [organizationId, uuidv7()],
  );
  return world;
}

async function createQrCode(organizationId: string, imageId: string): Promise<string> {
  const id = uuidv7();
  await run(`insert into qr_codes (id, organization_id, options, image_id) values ($1, $2, '{}', $3)`, [
    id,
    organizationId,
    imageId,
  ]);
  return id;
}

async function createPlanned(
  world: World,
  plan: LinkPlan,
  { tagId, createImage }: { tagId: string; createImage: (kind: 'meta-tag' | 'qr-code') => Promise<string> },
): Promise<void> {
  const { id: organizationId } = world.organization;
  const [domainId, folderId] = [world.domains[plan.domain]!, world.folders[plan.folder]!];
  const value = `https://example.com/${plan.url}`;
  const { id } = await createLink(stack.db, {
    organizationId,
    domainId,
    folderId,
    slug: uuidv7(),
    destination: { value },
    ...(plan.hasCap ? { maxClicks: 1_000 } : {}),
    ...(plan.hasTag ? { tagIds: [tagId] } : {}),
    ...(plan.hasMeta ? { metaTags: { title: 'Title', imageId: await createImage('meta-tag') } } : {}),
    ...(plan.hasRule ? { rules: [{ countries: ['DE'], destination: { value: `${value}/de` } }] } : {}),
  });
  await run(
    `with hashed as (update destinations set url_hash = $2 where link_id = $1 and rule_id is null)
     insert into threat_verdicts (url_hash, url, threat_types, scanned_at, expires_at)
     values ($2, $3, '{}', now(), now() + interval '1 hour') on conflict (url_hash) do update set expires_at = excluded.expires_at`,
    [id, hashOfUrl(value), value],
  );
  const changes = Array.from({ length: plan.changes }, (_, second) => ({
    linkId: id,
    at: new Date(startMs + second * 1_000),
    fields: { title: { before: null, after: 'Changed' } },
    undoes: null,
  }));
  const activity = { action: 'shortLink.updated', subjectId: id, name: null } as const;
  await keepChanges(stack.db, changes, toActivityRow(world.actor, organizationId, activity, new Date()));
  if (plan.hasCap) await run('insert into link_caps (link_id, granted) values ($1, 3) on conflict do nothing', [id]);
  if (plan.hasQrCode) {
    const qrCodeId = await createQrCode(organizationId, await createImage('qr-code'));
    await run('update short_links set qr_code_id = $1 where id = $2', [qrCodeId, id]);
  }
  await run(
    `insert into link_password_failures (link_id, client, failed_at, last_failed_at) values ($1, 'client', '{}', now())`,
    [id],
  );
  await run(
    `insert into link_reports (id, organization_id, link_id, reports, notes, clients) values (new_id(), $1, $2, 1, '[]', '{}')`,
    [organizationId, id],
  );
  world.links.push({ id, domainId });
  for (const { day, atMs, country } of plan.clicks) {
    const clickedAtMs = startMs + day * dayMs + atMs;
    const click = { organizationId, linkId: id, domainId, folderId, clickedAtMs, country: countries[country]! };
    world.clicks.push(testClick(click));
  }
}

async function statisticsOf({ organization }: World) {
  const filters = { shortLinkIds: [], domainIds: [], folderIds: [], tagIds: [] };
  const range = { startMs, endMs: startMs + 60 * dayMs };
  const query = { organizationId: organization.id, range, filters, limit: 100, nowMs: range.endMs };
  const statistics = createStatistics(stack.db);
  const country = await readBreakdown(statistics, { ...query, groupBy: 'country' });
  const shortLinks = await readBreakdown(statistics, { ...query, groupBy: 'shortLinks' });
  return { country: country.rows, shortLinks: shortLinks.rows.map(({ group, count }) => ({ group, count })) };
}
const plainStatistics = (clicks: readonly TestClick[]) => ({
  country: countGroups(clicks, 'country'),
  shortLinks: countGroups(clicks, 'shortLinks'),
});

const objects = async (): Promise<Set<string>> =>
  new Set(
    (await readdir(stack.storageFolder, { recursive: true })).map((name) => name.split('/').at(-1)!.split('.')[0]!),
  );

test(
  'a deletion removes every row of its subject and changes no other row, whenever a worker dies',
  { tags: 'nightly' },
  async () => {
    const plans = fc.tuple(organizationArbitrary, organizationArbitrary, organizationArbitrary);
    await fc.assert(
      fc.asyncProperty(plans, async ([gonePlan, changedPlan, keptPlan]) => {
        const { id: platformId } = await createDomain(stack.db, null);
        const gone = await createWorld(gonePlan, platformId);
        const changed = await createWorld(changedPlan, platformId);
        const kept = await createWorld(keptPlan, platformId);
        await stack.db.query('delete from event_queue');
        const before = await rowsOf(stack.db, kept);

        const domainId = changed.domains[1]!;
        const onDomain = changed.links.filter((link) => link.domainId === domainId).map(({ id }) => id);
        const byCall = changed.links
          .filter((link) => link.domainId !== domainId)
          .map(({ id }) => id)
          .slice(0, 1);
        const deletedIds = [...onDomain, ...byCall];
        const now = new Date();
        stack.failures = 6;
        if (byCall.length > 0) await stack.em.transactional((em) => deleteLinks(em, changed.actor, byCall, { now }));
        await stack.em.transactional((em) => deleteOrganization(em, gone.organization.id, now));
        await stack.em.transactional((em) => deleteDomain(em, changed.actor, domainId, { now }));
        await stack.em.transactional((em) => deleteFolder(em, changed.actor, changed.folders[1]!, now));
        const left = changed.clicks.filter(({ linkId }) => !deletedIds.includes(linkId));
        expect(await statisticsOf(changed)).toEqual(plainStatistics(left));

        await stack.done();
        stack.failures = 0;
        expect(await tracesOf(stack.db, [gone.organization.id], 'organization_id')).toEqual([]);
        expect(
          await tracesOf(
            stack.db,
            gone.links.map(({ id }) => id),
            'link_id',
          ),
        ).toEqual([]);
        expect(await tracesOf(stack.db, gone.domains.slice(0, 2), 'domain_id')).toEqual([]);
        expect((await run('select from users where id = $1', [gone.organization.botId])).rowCount).toBe(0);
        // Events, with the places of their links, are kept for as long as their deliveries.
        const isOfEvents = (trace: string): boolean => ['events.link_id', 'event_scopes.domain_id'].includes(trace);
        const traces = [
          ...(await tracesOf(stack.db, deletedIds, 'link_id')),
          ...(await tracesOf(stack.db, [domainId], 'domain_id')),
        ];
        expect(traces.filter((trace) => !isOfEvents(trace))).toEqual([]);
        expect((await run('select from folders where id = $1', [changed.folders[1]])).rowCount).toBe(0);
        expect((await run('select from domains where id = $1', [domainId])).rowCount).toBe(0);
        expect((await run('select from organizations where id = $1', [gone.organization.id])).rowCount).toBe(0);
        const told = await stack.db.query<{ id: string }>(
          `select link_id as id from events where organization_id = $1 and type = 'link.deleted' order by 1`,
          [changed.organization.id],
        );
        expect(told.rows.map(({ id }) => id)).toEqual(deletedIds.toSorted());
        expect(await statisticsOf(changed)).toEqual(plainStatistics(left));
        const { rows: linksLeft } = await run('select id from short_links where organization_id = $1 order by 1', [
          changed.organization.id,
        ]);
        const idsLeft = changed.links.map(({ id }) => id).filter((id) => !deletedIds.includes(id));
        expect(linksLeft.map(({ id }) => id)).toEqual(idsLeft.toSorted());
        expect(await rowsOf(stack.db, kept)).toEqual(before);
        expect(await statisticsOf(kept)).toEqual(plainStatistics(kept.clicks));
        // Live links have verdicts: valid ones, or expired ones that are requested again.
        const { rows: bare } = await run(
          `select d.id from destinations d left join threat_verdicts v on v.url_hash = d.url_hash
         where d.url_hash is not null and v.url_hash is null`,
          [],
        );
        expect(bare).toEqual([]);
        const names = await objects();
        expect(gone.fileIds.filter((id) => names.has(id))).toEqual([]);
        expect([...changed.fileIds, ...kept.fileIds].filter((id) => !names.has(id))).toEqual([]);
      }),
      { numRuns: 3, endOnFailure: true },
    );
  },
);
