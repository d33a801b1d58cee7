// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDomainActivities } from '#activities/domains/domains.ts';
import { createDomainDns } from '#adapters/dns/dns.ts';
import { createDomainChecker } from '#api/domain/checker.ts';
import { AppError } from '#core/errors/errors.ts';
import type { FinishedCheck } from '#core/domains/dns.ts';
import { asActivity } from '#test/support/activities.ts';
import { createTestApi, type TestApi, type TestApiOptions } from '#test/support/api.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createOrganization, type TestOrganization } from '#test/support/factories.ts';
import { type FakeDns, startFakeDns } from '#test/support/fake-dns.ts';
import { hearChanges } from '#test/support/hear-changes.ts';
import { silent } from '#test/support/test-worker.ts';

let dns: FakeDns;
let api: TestApi;
beforeAll(async () => {
  dns = await startFakeDns();
  api = await createTestApi({ domainDns: createDomainDns({ servers: [dns.address], timeoutMs: 1_000 }) });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await dns[Symbol.asyncDispose]();
});

const as = (organization: TestOrganization) => ({ headers: { 'x-api-key': organization.key } });
let counter = 0;
const newName = (): string => `check${(counter += 1)}.customer.example`;

async function add(organization: TestOrganization, domain = newName()) {
  const { dns: _, warnings: __, ...made } = (await api.call('POST', '/domain', { domain }, as(organization))).body;
  return made;
}

function check(id: string, organization: TestOrganization) {
  return api.call('POST', `/domain/${id}/dns-check`, undefined, as(organization));
}

describe('POST /domain/{id}/dns-check', () => {
  it('answers 200, verified, once the record is there; links may be put on the domain from then on', async () => {
    const organization = await createOrganization(api.db);
    const domain = await add(organization);
    dns.set(`_waymark.${domain.domain}`, { TXT: [domain.txtRecord] });
    await using hearing = await hearChanges(api.databaseUrl);
    const { status, body } = await check(domain.id, organization);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...domain,
      isVerified: true,
      lastCheckedAt: expect.stringMatching(/Z$/),
      updatedAt: body.lastCheckedAt,
    });
    expect(await hearing.changes()).toEqual([{ domainId: domain.id }]);
    const link = { destination: { type: 'link', value: 'https://example.com/' } };
    const made = await api.call('POST', '/short-link', link, as(organization));
    expect(made.body.domainId).toBe(domain.id);
    // Nothing changes: no edge is notified.
    await check(domain.id, organization);
    expect((await hearing.changes()).filter(({ slugs }) => slugs === undefined)).toHaveLength(1);
  });

  it('answers with the ETag of the domain, and checks no other version than If-Match names', async () => {
    const organization = await createOrganization(api.db);
    const domain = await add(organization);
    const read = await api.call('GET', `/domain/${domain.id}`, undefined, as(organization));
    dns.set(`_waymark.${domain.domain}`, { TXT: [domain.txtRecord] });
    const { headers } = await check(domain.id, organization);
    const again = await api.call('GET', `/domain/${domain.id}`, undefined, as(organization));
    expect([headers['etag'], headers['etag'] === read.headers['etag']]).toEqual([again.headers['etag'], false]);
    const refused = await api.call('POST', `/domain/${domain.id}/dns-check`, undefined, {
      headers: { ...as(organization).headers, 'if-match': String(read.headers['etag']) },
    });
    expect(refused).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  });

  it('answers 200 with what is missing, and takes the verification away at once', async () => {
    const organization = await createOrganization(api.db);
    const domain = await add(organization);
    dns.set(domain.domain, { TXT: [domain.txtRecord] });
    expect((await check(domain.id, organization)).body.isVerified).toBe(true);
    dns.set(domain.domain, { TXT: ['waymark-verify=of another'] });
    await using hearing = await hearChanges(api.databaseUrl);
    const { status, body } = await check(domain.id, organization);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      isVerified: false,
      isPrimary: true,
      dns: {
        records: [
          {
            type: 'TXT',
            name: `_waymark.${domain.domain}`,
            expected: domain.txtRecord,
            found: ['waymark-verify=of another'],
            ok: false,
          },
        ],
        checkedAt: body.lastCheckedAt,
      },
    });
    expect(await hearing.changes()).toEqual([{ domainId: domain.id }]);
  });

  it('leaves a domain as it is where no name server could be asked', async () => {
    const organization = await createOrganization(api.db);
    const domain = await add(organization);
    dns.set(`_waymark.${domain.domain}`, 'servfail');
    const before = await check(domain.id, organization);
    expect(before.body).toMatchObject({ isVerified: false, dns: { records: [{ found: 'error', ok: false }] } });
    dns.set(`_waymark.${domain.domain}`, { TXT: [domain.txtRecord] });
    await check(domain.id, organization);
    dns.set(`_waymark.${domain.domain}`, 'silent');
    const after = await check(domain.id, organization);
    expect(after.body).toMatchObject({ isVerified: true, dns: { records: [{ found: 'error', ok: false }] } });
    expect(after.body.lastCheckedAt > before.body.lastCheckedAt).toBe(true);
  });

  it('gives a name to the first that verifies it, and answers 409 to the others, all at once', async () => {
    const organizations = await Promise.all(Array.from({ length: 4 }, () => createOrganization(api.db)));
    const name = newName();
    const domains = await Promise.all(organizations.map((organization) => add(organization, name)));
    dns.set(`_waymark.${name}`, { TXT: domains.map(({ txtRecord }) => txtRecord) });
    const answers = await Promise.all(domains.map(({ id }, index) => check(id, organizations[index]!)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409]);
    const loser = answers.findIndex(({ status }) => status === 409);
    expect(answers[loser]!.body.code).toBe('ALREADY_EXIST');
    const read = await api.call('GET', `/domain/${domains[loser]!.id}`, undefined, as(organizations[loser]!));
    expect(read.body).toMatchObject({ isVerified: false, lastCheckedAt: expect.any(String) });
  });

  it('makes a domain primary when it is verified and no other is', async () => {
    const organization = await createOrganization(api.db);
    const [first, second] = [await add(organization), await add(organization)];
    await api.call('DELETE', `/domain/${first.id}`, undefined, as(organization));
    dns.set(`_waymark.${second.domain}`, { TXT: [second.txtRecord] });
    expect((await check(second.id, organization)).body).toMatchObject({ isVerified: true, isPrimary: true });
  });

  it('answers 404 to a domain that is deleted meanwhile', async () => {
    const organization = await createOrganization(api.db);
    const domain = await add(organization);
    const asked = Promise.withResolvers<void>();
    dns.set(`_waymark.${domain.domain}`, () => {
      asked.resolve();
      return 'silent';
    });
    const checking = check(domain.id, organization);
    await asked.promise;
    await api.call('DELETE', `/domain/${domain.id}`, undefined, as(organization));
    expect((await checking).status).toBe(404);
  });
});

describe('POST /domain/{id}/dns-check through the workflow of the domain', () => {
  let [inline, asked] = [0, 0];
  const byWorkflow = (options: Partial<TestApiOptions> = {}) => {
    const domainDns = createDomainDns({ servers: [dns.address], timeoutMs: 1_000 });
    const { checkDomain } = createDomainActivities({ em: emOf(api.db), domainDns, log: silent });
    [inline, asked] = [0, 0];
    return createTestApi({
      besides: api,
      domainDns: { ...domainDns, check: (domain) => ((inline += 1), domainDns.check(domain)) },
      domainWorkflow: {
        async check({ id }) {
          asked += 1;
          return (await asActivity(() => checkDomain({ domainId: id, isAsked: true }))).check ?? undefined;
        },
      },
      workflowPatienceMs: 60_000,
      ...options,
    });
  };
  const ask = (process: TestApi, id: string) => process.call('POST', `/domain/${id}/dns-check`);

  it('answers what the workflow found, and checks nothing by itself', async () => {
    await using process = await byWorkflow();
    const domain = await add(api.organization);
    const first = await ask(process, domain.id);
    expect(first).toMatchObject({
      status: 200,
      body: { isVerified: false, dns: { records: [{ found: [], ok: false }] } },
    });
    expect(first.body.dns.checkedAt).toBe(first.body.lastCheckedAt);
    dns.set(`_waymark.${domain.domain}`, { TXT: [domain.txtRecord] });
    const right = await ask(process, domain.id);
    expect(right.body).toMatchObject({ isVerified: true });
    expect(right.body.dns).toBeUndefined();
    expect({ inline, asked }).toEqual({ inline: 0, asked: 2 });
  });

  it('shares one check of a domain among calls that ask for it at the same time', async () => {
    const checkedAt = '2026-11-27T00:00:00.000Z';
    const finished: FinishedCheck = { outcome: 'right', records: [], result: 'verified', checkedAt };
    let calls = 0;
    const checkDomain = createDomainChecker({
      em: emOf(api.db),
      domainDns: createDomainDns({ servers: [dns.address] }),
      domainWorkflow: { check: async () => ((calls += 1), finished) },
      clock: () => new Date(),
    });
    const target = { id: uuidv7(), organizationId: uuidv7(), domain: newName(), txtRecord: '' };
    const answers = await Promise.all(Array.from({ length: 30 }, () => checkDomain(target)));
    expect([...new Set(answers)]).toEqual([finished]);
    expect(calls).toBe(1);
  });

  it('answers 409 where another organization has the name', async () => {
    await using process = await byWorkflow();
    const domain = await add(api.organization);
    const other = await createOrganization(api.db);
    const rival = await add(other, domain.domain);
    dns.set(`_waymark.${domain.domain}`, { TXT: [domain.txtRecord, rival.txtRecord] });
    expect((await check(rival.id, other)).status).toBe(200);
    expect(await ask(process, domain.id)).toMatchObject({ status: 409, body: { code: 'ALREADY_EXIST' } });
    expect(inline).toBe(0);
  });

  it('checks by itself where the workflow is silent for a while', async () => {
    const silentWorkflow = { check: () => new Promise<undefined>(() => {}) };
    await using process = await byWorkflow({ domainWorkflow: silentWorkflow, workflowPatienceMs: 50 });
    const domain = await add(api.organization);
    dns.set(`_waymark.${domain.domain}`, { TXT: [domain.txtRecord] });
    expect((await ask(process, domain.id)).body).toMatchObject({ isVerified: true });
    expect(inline).toBe(1);
  });

  it('answers 503 with the reason, and checks nothing, where the workflow is paused', async () => {
    const refuse = () => Promise.reject(new AppError('SERVICE_UNAVAILABLE', 'An operator has paused it.'));
    await using process = await byWorkflow({ domainWorkflow: { check: refuse } });
    const domain = await add(api.organization);
    expect(await ask(process, domain.id)).toMatchObject({
      status: 503,
      body: { code: 'SERVICE_UNAVAILABLE', message: 'An operator has paused it.' },
    });
    expect(inline).toBe(0);
  });
});

describe('GET /domain/{id}/dns', () => {
  const read = (id: string, organization: TestOrganization) =>
    api.call('GET', `/domain/${id}/dns`, undefined, as(organization));

  it('answers 200 with the records to publish before any check', async () => {
    const organization = await createOrganization(api.db);
    const domain = await add(organization);
    const { status, body } = await read(domain.id, organization);
    expect(status).toBe(200);
    const name = `_waymark.${domain.domain}`;
    expect(body).toEqual({
      state: 'unverified',
      zone: null,
      needed: [{ type: 'TXT', name, value: domain.txtRecord, where: expect.any(String), relativeName: null }],
      found: null,
      checkedAt: null,
      nextCheckAt: expect.any(String),
      failedChecks: 0,
      isLostAfter: null,
      dailyFrom: new Date(Date.parse(domain.createdAt) + 72 * 3_600_000).toISOString(),
    });
  });

  it('answers 200 with the reason of a wrong record, and without it once that is right', async () => {
    const organization = await createOrganization(api.db);
    const domain = await add(organization);
    const name = `_waymark.${domain.domain}`;
    dns.set('customer.example', { isZone: true });
    dns.set(`${name}.customer.example`, { TXT: [domain.txtRecord] });
    const checked = await check(domain.id, organization);
    expect(checked.body.dns.records).toMatchObject([{ ok: false, misplacedAt: `${name}.customer.example` }]);
    const { body } = await read(domain.id, organization);
    const relative = name.replace('.customer.example', '');
    expect(body).toMatchObject({
      state: 'unverified',
      zone: 'customer.example',
      needed: [{ name, relativeName: relative }],
      found: [{ reason: 'zone-appended', message: expect.stringContaining(`${name}.customer.example`), found: [] }],
      checkedAt: checked.body.lastCheckedAt,
      failedChecks: 1,
    });
    dns.set(name, { TXT: [domain.txtRecord] });
    await check(domain.id, organization);
    expect((await read(domain.id, organization)).body).toMatchObject({
      state: 'verified',
      found: [{ ok: true, reason: null, message: null, found: [domain.txtRecord] }],
      isLostAfter: 3,
      dailyFrom: null,
    });
    dns.set('customer.example', undefined);
  });

  it('answers 200 with the state taken where another organization has verified the name', async () => {
    const [first, second] = [await createOrganization(api.db), await createOrganization(api.db)];
    const name = newName();
    const mine = await add(first, name);
    const theirs = await add(second, name);
    dns.set(`_waymark.${name}`, { TXT: [mine.txtRecord, theirs.txtRecord] });
    expect((await check(mine.id, first)).status).toBe(200);
    expect((await check(theirs.id, second)).status).toBe(409);
    expect((await read(theirs.id, second)).body).toMatchObject({ state: 'taken', found: [{ ok: true }] });
    expect((await read(mine.id, first)).body).toMatchObject({ state: 'verified' });
  });
});
