import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { recoverSome } from '#db/webhooks/deliveries/recoveries.ts';
import { fanOut } from '#db/webhooks/fan-out.ts';
import { forgetOldEvents } from '#db/webhooks/deliveries/retention.ts';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';

const api = useTestApi();
let counter = 0;
beforeEach(async () => {
  api.organization = await createOrganization(api.db);
  await api.db.query('truncate event_queue');
});

const call = async (method: 'POST' | 'PATCH' | 'DELETE' | 'GET', path: string, body?: object) => {
  const answer = await api.call(method, path, body);
  expect([200, 201]).toContain(answer.status);
  return answer.body;
};
const folder = async (): Promise<string> => (await call('POST', '/folder', { name: `folder ${(counter += 1)}` })).id;
const tag = async (name: string): Promise<string> => (await call('POST', '/tag', { name })).id;
const link = async (fields: object = {}): Promise<string> =>
  (await call('POST', '/short-link', { destination: { type: 'link', value: 'https://example.com/' }, ...fields })).id;
const create = (fields: object = {}): Promise<Answer> => {
  const url = `https://hooks.example.com/scope/${(counter += 1)}`;
  return api.call('POST', '/webhook', { url, events: ['link.created', 'link.updated', 'link.deleted'], ...fields });
};
const hook = async (scope: object | null, fields: object = {}): Promise<string> =>
  (await create({ scope, ...fields })).body.id;

/** The types and links of a webhook's deliveries, the earliest event first, once all events are fanned out. */
async function deliveries(webhookId: string): Promise<string[]> {
  while ((await fanOut(api.db, 1_000)) === 1_000);
  const { rows } = await api.db.query<{ seen: string }>(
    `select e.type || ' ' || coalesce(e.link_id::text, '') as seen from deliveries d join events e on e.id = d.event_id
     where d.webhook_id = $1 order by e.id`,
    [webhookId],
  );
  return rows.map(({ seen }) => seen);
}

async function recover(webhookId: string): Promise<void> {
  await call('POST', `/webhook/${webhookId}/recover`, { since: new Date(Date.now() - 60_000).toISOString() });
  while (await recoverSome(api.em, 1_000));
}

describe('the scope of a webhook', () => {
  it(
    'lets through events of links in its folders, with its tags, on its domains, and of its links',
    { tags: 'slow' },
    async () => {
      const [inFolder, other] = [await folder(), await folder()];
      const [vip, plain] = [await tag(`vip ${counter}`), await tag(`plain ${counter}`)];
      const domain = await createDomain(api.db, api.organization.id);
      const early = await link();
      const hooks = {
        folder: await hook({ folderIds: [inFolder] }),
        tag: await hook({ tagIds: [vip] }),
        domain: await hook({ domainIds: [domain.id] }),
        link: await hook({ linkIds: [early] }),
        any: await hook({ folderIds: [inFolder], tagIds: [vip] }),
        all: await hook(null),
      };
      const tagNames = new Map(
        (await call('GET', '/tag/list')).data.map((one: { id: string; name: string }) => [one.id, one.name]),
      );
      const made = {
        folder: await link({ folderId: inFolder }),
        other: await link({ folderId: other, tags: [tagNames.get(plain)] }),
        tag: await link({ tags: [tagNames.get(plain), tagNames.get(vip)] }),
        domain: await link({ domain: domain.domain }),
      };
      await call('PATCH', `/short-link/${early}`, { title: 'news' });
      const created = (id: string): string => `link.created ${id}`;
      expect(await deliveries(hooks.folder)).toEqual([created(made.folder)]);
      expect(await deliveries(hooks.tag)).toEqual([created(made.tag)]);
      expect(await deliveries(hooks.domain)).toEqual([created(made.domain)]);
      expect(await deliveries(hooks.link)).toEqual([`link.updated ${early}`]);
      expect(await deliveries(hooks.any)).toEqual([created(made.folder), created(made.tag)]);
      expect(await deliveries(hooks.all)).toHaveLength(5);
    },
  );

  it('takes a link as it was when the event was written: after a move, and after a delete that removed its rows', async () => {
    const [from, to] = [await folder(), await folder()];
    const [source, target] = [await hook({ folderIds: [from] }), await hook({ folderIds: [to] })];
    const id = await link({ folderId: from });
    await call('PATCH', `/short-link/${id}`, { folderId: to });
    await call('DELETE', `/short-link/${id}`);
    await api.db.query('delete from destinations where link_id = $1', [id]);
    await api.db.query('delete from short_links where id = $1', [id]);
    expect(await deliveries(source)).toEqual([`link.created ${id}`]);
    expect(await deliveries(target)).toEqual([`link.updated ${id}`, `link.deleted ${id}`]);
  });

  it('lets through the deletes of links in its folders where their domain is deleted', async () => {
    const inFolder = await folder();
    const domain = await createDomain(api.db, api.organization.id);
    const target = await hook({ folderIds: [inFolder] });
    const id = await link({ folderId: inFolder, domain: domain.domain });
    await link({ domain: domain.domain });
    await call('DELETE', `/domain/${domain.id}`);
    expect(await deliveries(target)).toEqual([`link.created ${id}`, `link.deleted ${id}`]);
  });

  it('holds for a recovery too, which also knows links that were deleted since', async () => {
    const [inFolder, other] = [await folder(), await folder()];
    const id = await hook({ folderIds: [inFolder] });
    await call('PATCH', `/webhook/${id}`, { isActive: false });
    const [one, two] = [await link({ folderId: inFolder }), await link({ folderId: other })];
    for (const gone of [one, two]) {
      await call('DELETE', `/short-link/${gone}`);
      await api.db.query('delete from destinations where link_id = $1', [gone]);
      await api.db.query('delete from short_links where id = $1', [gone]);
    }
    expect(await deliveries(id)).toEqual([]);
    await call('PATCH', `/webhook/${id}`, { isActive: true });
    await recover(id);
    expect(await deliveries(id)).toEqual([`link.created ${one}`, `link.deleted ${one}`]);
  });

  it('compares events from before the first scope of the organization with the link as it is now', async () => {
    const [inFolder, other] = [await folder(), await folder()];
    const [one, two] = [await link({ folderId: inFolder }), await link({ folderId: other })];
    const id = await hook({ folderIds: [inFolder] });
    await api.db.query(`update webhooks set created_at = now() - interval '1 hour' where id = $1`, [id]);
    await recover(id);
    expect(await deliveries(id)).toEqual([`link.created ${one}`]);
    expect(await deliveries(id)).not.toContain(`link.created ${two}`);
  });

  it('lets through events of its domains, and no other event without a link', async () => {
    const domain = await createDomain(api.db, api.organization.id);
    const events = ['domain.lost', 'import.completed'];
    const [scoped, elsewhere, all] = [
      await hook({ domainIds: [domain.id] }, { events }),
      await hook({ folderIds: [await folder()] }, { events }),
      await hook(null, { events }),
    ];
    const insert = (type: string, data: object) =>
      api.db.query('insert into events (id, organization_id, type, body) values ($1, $2, $3, $4)', [
        uuidv7(),
        api.organization.id,
        type,
        JSON.stringify({ data }),
      ]);
    await insert('domain.lost', { domain: { id: domain.id } });
    await insert('domain.lost', { domain: { id: uuidv7() } });
    await insert('import.completed', { import: { id: uuidv7() } });
    expect(await deliveries(scoped)).toEqual(['domain.lost ']);
    expect(await deliveries(elsewhere)).toEqual([]);
    expect(await deliveries(all)).toHaveLength(3);
  });

  it('is compared with a row beside each event, which organizations without a scoped webhook have not, and which goes with the event', async () => {
    await hook(null);
    const id = await link();
    const scopes = async () =>
      (await api.db.query('select from event_scopes s join events e on e.id = s.event_id where e.link_id = $1', [id]))
        .rowCount;
    expect(await scopes()).toBe(0);
    await hook({ linkIds: [id] });
    await call('PATCH', `/short-link/${id}`, { title: 'news' });
    expect(await scopes()).toBe(1);
    const old = uuidv7({ msecs: Date.now() - 31 * 24 * 60 * 60 * 1_000 });
    await api.db.query(
      `insert into events (id, organization_id, type, link_id, body) values ($1, $2, 'link.updated', $3, '{}')`,
      [old, api.organization.id, id],
    );
    const kept = async () => (await api.db.query('select from event_scopes where event_id = $1', [old])).rowCount;
    expect(await kept()).toBe(1);
    while (await forgetOldEvents(api.em, 1_000));
    expect(await kept()).toBe(0);
    expect(await scopes()).toBe(1);
  });

  it('is answered with all four lists, changed, repeated without a change, and lifted by null', async () => {
    const id = await folder();
    const { body } = await create({ scope: { folderIds: [id, id], tagIds: [] } });
    const scope = { folderIds: [id], tagIds: [], domainIds: [], linkIds: [] };
    expect(body).toMatchObject({ scope });
    const { secret: _secret, ...record } = body;
    expect((await call('PATCH', `/webhook/${body.id}`, record)).updatedAt).toBe(body.updatedAt);
    expect((await call('PATCH', `/webhook/${body.id}`, { scope: null })).scope).toBeNull();
    expect((await call('GET', `/webhook/${body.id}`)).scope).toBeNull();
  });

  it('keeps ids of things that were deleted since, which match nothing, and takes no other deleted thing', async () => {
    const [gone, kept] = [await folder(), await folder()];
    const id = await hook({ folderIds: [gone] });
    await call('DELETE', `/folder/${gone}`);
    await link();
    expect(await deliveries(id)).toEqual([]);
    const { scope } = await call('GET', `/webhook/${id}`);
    expect(scope.folderIds).toEqual([gone]);
    expect((await call('PATCH', `/webhook/${id}`, { scope: { folderIds: [gone, kept] } })).scope.folderIds).toEqual([
      gone,
      kept,
    ]);
    expect(await create({ scope: { folderIds: [gone] } })).toMatchObject({ status: 404 });
  });

  it.each(['folderIds', 'tagIds', 'domainIds', 'linkIds'])(
    'answers 404 and 403 for unknown and foreign %s',
    async (kind) => {
      expect(await create({ scope: { [kind]: [uuidv7()] } })).toMatchObject({ status: 404 });
      const own = api.organization;
      api.organization = await createOrganization(api.db);
      const foreign = {
        folderIds: folder,
        tagIds: () => tag('foreign'),
        domainIds: async () => (await createDomain(api.db, api.organization.id)).id,
        linkIds: link,
      }[kind]!;
      const id = await foreign();
      api.organization = own;
      expect(await create({ scope: { [kind]: [id] } })).toMatchObject({ status: 403 });
    },
  );

  it.each([
    [{}, 'scope'],
    [{ folderIds: [], linkIds: [] }, 'scope'],
    [{ linkIds: Array.from({ length: 101 }, () => uuidv7()) }, 'scope.linkIds'],
  ])('answers 400 for %j', async (scope, path) => {
    const { status, body } = await create({ scope });
    expect({ status, paths: body.issues?.map((issue: { path: string }) => issue.path) }).toEqual({
      status: 400,
      paths: [path],
    });
  });
});
