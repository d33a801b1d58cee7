import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { emOf } from '#test/support/entity-managers.ts';
import { createThreatList } from '#adapters/threat-scanners/threat-list.ts';
import { createVerdictWaiter } from '#api/short-link/verdict-waiter.ts';
import { createLocalAnswers } from '#commands/threats/local-answers.ts';
import { storeVerdicts } from '#commands/threats/verdicts.ts';
import { hashOfUrl, hexHashOfUrl } from '#core/threats/url-hash.ts';
import { testSite, useOwnTestApi, useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { makeFolder } from '#test/support/folders.ts';
import { silent } from '#test/support/test-worker.ts';

const known = useTestApi();
let counter = 0;
const listFile = join(makeFolder(), 'threats.txt');

const api = useOwnTestApi(async () => {
  await writeFile(listFile, 'bad.example\tMALWARE\n');
  const list = await createThreatList({ file: listFile, log: silent, checkEveryMs: 0 });
  const fail = (error: unknown): void => {
    throw error;
  };
  return {
    besides: known,
    findLocalAnswers: createLocalAnswers({ em: known.em, lookUp: list.lookUpLocally, perDay: 1_000_000 }),
    // A call that waited for a verdict would end by the test's time-out: no worker runs.
    threatScanWaitMs: 120_000,
    verdictWaiter: createVerdictWaiter({ em: known.em, isLagging: async () => false, onError: fail }),
  };
});
beforeEach(async () => {
  await writeFile(listFile, 'bad.example\tMALWARE\n');
  await known.db.query('delete from outbox');
});

const nextUrl = (host = 'fine.example'): string => `https://${host}/${(counter += 1)}`;
const to = (value: string) => ({ destination: { type: 'link', value } });

interface BulkAnswer {
  results: { data: { id: string; destination: { threatTypes: string[] | null } } }[];
}

const typesOf = ({ results }: BulkAnswer): (string[] | null)[] =>
  results.map(({ data }) => data.destination.threatTypes);

interface Scans {
  answered: number;
  queued: number;
}

/** How many destinations wait for a scan that only records them, and for one that looks them up. */
async function scans(): Promise<Scans> {
  const { rows } = await known.db.query<Scans>(
    `select count(*) filter (where lane = 1 and due_at > created_at) as answered,
      count(*) filter (where due_at <= created_at) as queued from outbox where kind = 'threat-scan'`,
  );
  return rows[0]!;
}

async function verdictOn(url: string): Promise<{ types: string[] | null; isAwaited: boolean } | undefined> {
  const { rows } = await known.db.query<{ types: string[] | null; isAwaited: boolean }>(
    `select threat_types as types, due_at is not null as "isAwaited" from threat_verdicts where url_hash = $1`,
    [hashOfUrl(url)],
  );
  return rows[0];
}

describe('a destination that the local list knows', () => {
  test('a create answers at once with a clean verdict, which is stored, and only its record is left', async () => {
    const url = nextUrl();
    const { status, body } = await api.call('POST', '/short-link', to(url));
    expect({ status, types: body.destination.threatTypes }).toEqual({ status: 201, types: [] });
    expect(await verdictOn(url)).toEqual({ types: [], isAwaited: false });
    expect(await scans()).toEqual({ answered: 1, queued: 0 });
    expect((await api.call('GET', `/short-link/${body.id}`)).body.destination.threatTypes).toEqual([]);
  });

  test('a create shows a threat at once, and a scan reports it', async () => {
    const url = nextUrl('bad.example');
    const { body } = await api.call('POST', '/short-link', to(url));
    expect(body.destination.threatTypes).toEqual(['MALWARE']);
    expect(await verdictOn(url)).toEqual({ types: ['MALWARE'], isAwaited: false });
    expect(await scans()).toEqual({ answered: 0, queued: 1 });
  });

  test('rules, deep links and the expired URL are answered as well', async () => {
    const body = {
      ...to(nextUrl()),
      rules: [{ priority: 1, countries: ['DE'], destination: { type: 'link', value: nextUrl('bad.example') } }],
      expiresAt: '2099-01-01T00:00:00.000Z',
      expiredUrl: nextUrl(),
    };
    const answer = await api.call('POST', '/short-link', body);
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body.destination.threatTypes).toEqual([]);
    expect(answer.body.rules[0].destination.threatTypes).toEqual(['MALWARE']);
    expect(await scans()).toEqual({ answered: 2, queued: 1 });
  });

  test('patch, upsert and bulk calls do not wait either', async () => {
    const { body: link } = await api.call('POST', '/short-link', to(nextUrl()));
    const patched = await api.call('PATCH', `/short-link/${link.id}`, to(nextUrl('bad.example')));
    expect(patched.body.destination.threatTypes).toEqual(['MALWARE']);
    const upserted = await api.call('PUT', '/short-link/upsert', { ...to(nextUrl()), externalId: 'one' });
    expect(upserted.body.destination.threatTypes).toEqual([]);
    const made = await api.call('POST', '/short-link/bulk', { links: [to(nextUrl()), to(nextUrl('bad.example'))] });
    expect(typesOf(made.body)).toEqual([[], ['MALWARE']]);
    const links = (made.body as BulkAnswer).results.map((row) => ({ id: row.data.id, ...to(nextUrl()) }));
    const changed = await api.call('PATCH', '/short-link/bulk', { links });
    expect(typesOf(changed.body)).toEqual([[], []]);
  });

  test('two links of one call to the same address have one verdict', async () => {
    const url = nextUrl();
    const { body } = await api.call('POST', '/short-link/bulk', { links: [to(url), to(url)] });
    expect(typesOf(body)).toEqual([[], []]);
    expect(await verdictOn(url)).toEqual({ types: [], isAwaited: false });
  });

  test('a further link to an address with the same fresh verdict needs nothing', async () => {
    const url = nextUrl();
    await api.call('POST', '/short-link', to(url));
    await known.db.query('delete from outbox');
    const { body } = await api.call('POST', '/short-link', to(url));
    expect(body.destination.threatTypes).toEqual([]);
    expect(await scans()).toEqual({ answered: 0, queued: 0 });
  });

  test('an answer that contradicts the stored verdict is shown, and the address is scanned for all of its links', async () => {
    const url = nextUrl('turned.example');
    await api.call('POST', '/short-link', to(url));
    await writeFile(listFile, 'turned.example\tSOCIAL_ENGINEERING\n');
    const { body } = await api.call('POST', '/short-link', to(url));
    expect(body.destination.threatTypes).toEqual(['SOCIAL_ENGINEERING']);
    expect(await verdictOn(url)).toEqual({ types: [], isAwaited: true });
    expect(await scans()).toMatchObject({ queued: 1 });
  });

  test('a create that is read, a patch, an upsert and a bulk update show it too', async () => {
    const { body: link } = await api.call('POST', '/short-link', to(nextUrl()));
    const url = nextUrl('later.example');
    await api.call('POST', '/short-link', to(url));
    await writeFile(listFile, 'later.example\tSOCIAL_ENGINEERING\n');
    const shown = [
      await api.call('POST', '/short-link', { ...to(url), tags: ['read'] }),
      await api.call('PATCH', `/short-link/${link.id}`, to(url)),
      await api.call('PUT', '/short-link/upsert', { ...to(url), externalId: 'later' }),
    ].map(({ body }) => body.destination.threatTypes);
    expect(shown).toEqual([['SOCIAL_ENGINEERING'], ['SOCIAL_ENGINEERING'], ['SOCIAL_ENGINEERING']]);
    const rules = [{ priority: 1, countries: ['DE'], ...to(url) }];
    const { body } = await api.call('PATCH', '/short-link/bulk', { ids: [link.id], change: { ...to(url), rules } });
    expect(typesOf(body)).toEqual([['SOCIAL_ENGINEERING']]);
    expect(body.results[0].data.rules[0].destination.threatTypes).toEqual(['SOCIAL_ENGINEERING']);
    expect(await verdictOn(url)).toMatchObject({ types: [] });
  });

  test('an expired verdict with the same answer is renewed without a scan', async () => {
    const url = nextUrl();
    const verdict = { urlHash: hexHashOfUrl(url), threatTypes: [], expiresAt: new Date(0) };
    await api.call('POST', '/short-link', to(url));
    await storeVerdicts(emOf(known.db), [verdict], testSite);
    await api.call('POST', '/short-link', to(url));
    const { rows } = await known.db.query(
      'select expires_at > now() as fresh from threat_verdicts where url_hash = $1',
      [hashOfUrl(url)],
    );
    expect(rows).toEqual([{ fresh: true }]);
    expect(await scans()).toMatchObject({ queued: 0 });
  });

  test('an address that the list cannot read is left to the scans', async () => {
    const find = createLocalAnswers({ em: known.em, lookUp: async () => undefined, perDay: 10 });
    expect(await find(known.organization.id, ['https://fine.example/'])).toEqual(new Map());
  });
});

test('past the daily budget of an organization its addresses wait for their scans (13.7)', async () => {
  const { id } = await createOrganization(known.db);
  const answer = { threatTypes: [], expiresAt: new Date(Date.now() + 60_000) };
  let nowMs = Date.parse('2026-03-01T23:59:00Z');
  const options = { em: known.em, lookUp: async () => answer, perDay: 5, now: () => new Date(nowMs) };
  const find = createLocalAnswers(options);
  const count = async (urls: string[]): Promise<number> => (await find(id, urls)).size;
  // The database knows of two scans of that day.
  await known.db.query(`insert into scan_days values ($1, '2026-03-01', 2, false)`, [id]);
  expect(await count(['https://a.example/', 'https://b.example/', 'https://a.example/'])).toBe(2);
  expect(await count(['https://c.example/', 'https://d.example/'])).toBe(1);
  expect(await count(['https://e.example/'])).toBe(0);
  nowMs = Date.parse('2026-03-02T00:00:00Z');
  expect(await count(['https://e.example/'])).toBe(1);
});
