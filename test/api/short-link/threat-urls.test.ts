import { describe, expect, test } from 'vitest';
import { emOf } from '#test/support/entity-managers.ts';
import { storeVerdicts } from '#commands/threats/verdicts.ts';
import { hexHashOfUrl } from '#core/threats/url-hash.ts';
import type { ThreatType } from '#core/threats/types.ts';
import { readRescanPage } from '#db/threats/rescan.ts';
import { listScanTargets, type ScanTarget } from '#db/threats/verdicts.ts';
import { testSite, useOwnTestApi } from '#test/support/api.ts';

const api = useOwnTestApi();

/** What the outbox has scanned. */
async function targets(): Promise<ScanTarget[]> {
  const { rows } = await api.db.query<{ id: string }>(`select subject_id as id from outbox where kind = 'threat-scan'`);
  return listScanTargets(
    api.db,
    rows.map(({ id }) => id),
  );
}

const hex = hexHashOfUrl;
const link = (value: string) => ({ type: 'link', value });

describe('what is scanned', () => {
  test('a new link has its destination, those of its rules and its expiredUrl scanned', async () => {
    const urls = ['https://main.example/', 'https://rule.example/', 'https://över.example/gone'];
    const { status, body } = await api.call('POST', '/short-link', {
      destination: link(urls[0]!),
      rules: [{ priority: 1, osTypes: ['ios'], destination: link(urls[1]!) }],
      expiredUrl: urls[2],
    });
    expect([status, body]).toMatchObject([201, { expiredUrl: urls[2] }]);
    const found = (await targets()).filter(({ linkId }) => linkId === body.id);
    expect(new Set(found.map(({ url }) => url))).toEqual(new Set(urls));
    expect(found.find(({ destinationId }) => destinationId === body.id)).toMatchObject({
      urlHash: hex(urls[2]!),
      domainId: null,
    });
  });

  test('a changed link has its new expiredUrl scanned', async () => {
    const { body } = await api.call('POST', '/short-link', { destination: link('https://old.example/') });
    await api.call('PATCH', `/short-link/${body.id}`, { expiredUrl: 'https://later.example/' });
    const found = (await targets()).filter(({ linkId }) => linkId === body.id);
    expect(found.map(({ url }) => url).toSorted()).toEqual(['https://later.example/', 'https://old.example/']);
  });

  test('a domain has its fallbackUrl scanned', async () => {
    const { body } = await api.call('POST', '/domain', { domain: 'scanned.customer.example' });
    await api.call('PATCH', `/domain/${body.id}`, { fallbackUrl: 'https://fallback.example/' });
    const found = (await targets()).filter(({ domainId }) => domainId === body.id);
    expect(found).toEqual([
      {
        destinationId: body.id,
        linkId: null,
        domainId: body.id,
        organizationId: api.organization.id,
        urlHash: hex('https://fallback.example/'),
        url: 'https://fallback.example/',
      },
    ]);
  });
});

describe('the web addresses that deep links open', () => {
  const fallback = 'https://store.example/?a=b';
  const deepLinks = {
    enableDeepLinking: true,
    iosDeepLink: 'https://ios.example/',
    androidDeepLink: `intent://android.example/x#Intent;scheme=https;S.browser_fallback_url=${encodeURIComponent(fallback)};end`,
  };
  const opened = ['https://ios.example/', 'https://android.example/x', fallback];

  const store = (verdicts: Record<string, ThreatType[]>) =>
    storeVerdicts(
      emOf(api.db),
      Object.entries(verdicts).map(([url, threatTypes]) => ({
        urlHash: hex(url),
        threatTypes,
        expiresAt: new Date(Date.now() + 3_600_000),
      })),
      testSite,
    );
  const show = async (id: string) => (await api.call('GET', `/short-link/${id}`)).body;
  const urlsOf = async (id: string): Promise<string[]> =>
    (await targets()).filter(({ linkId }) => linkId === id).map(({ url }) => url);

  test('web addresses in deep links are scanned, of rules too, and flag their destination', async () => {
    const value = 'https://clean.example/';
    const { body } = await api.call('POST', '/short-link', {
      destination: { ...link(value), ...deepLinks },
      rules: [{ priority: 1, osTypes: ['ios'], destination: { type: 'phone', value: '+4930', ...deepLinks } }],
    });
    expect(body.destination.threatTypes).toBeNull();
    expect(new Set(await urlsOf(body.id))).toEqual(new Set([value, ...opened]));
    await store({ [value]: [], [opened[0]!]: [], [opened[1]!]: [] });
    expect((await show(body.id)).destination.threatTypes).toBeNull();
    await store({ [fallback]: ['MALWARE'], [opened[0]!]: ['SOCIAL_ENGINEERING', 'MALWARE'] });
    const flagged = await show(body.id);
    expect(flagged.destination.threatTypes.toSorted()).toEqual(['MALWARE', 'SOCIAL_ENGINEERING']);
    expect(flagged.rules[0].destination.threatTypes.toSorted()).toEqual(['MALWARE', 'SOCIAL_ENGINEERING']);
    const told = await api.db.query<{ body: string }>(
      `select body from events where link_id = $1 and type = 'link.updated'`,
      [body.id],
    );
    expect(told.rows.map((row) => JSON.parse(row.body).data)).toMatchObject([
      {
        link: { destination: { type: 'link', value, threatTypes: ['MALWARE', 'SOCIAL_ENGINEERING'] } },
        previous: { destination: { type: 'link', value, threatTypes: null } },
      },
    ]);
    await store({ [fallback]: [], [opened[0]!]: [] });
    expect((await show(body.id)).destination.threatTypes).toEqual([]);
    const { rows } = await api.db.query('select from threat_notices');
    expect(rows).toHaveLength(2);
    // Known at once to the next link that opens them.
    const next = await api.call('POST', '/short-link', { destination: { ...link(value), ...deepLinks } });
    expect(next.body.destination.threatTypes).toEqual([]);
  });

  test('an event names no threats, and does not call a link clean, while one of its addresses has no verdict', async () => {
    const value = 'https://mended.example/';
    const destination = { ...link(value), iosDeepLink: 'https://unscanned.example/' };
    const { body } = await api.call('POST', '/short-link', { destination });
    await store({ [value]: ['MALWARE'] });
    await store({ [value]: [] });
    const { rows } = await api.db.query<{ body: string }>(
      `select body from events where link_id = $1 and type = 'link.updated' order by id`,
      [body.id],
    );
    const shown = rows.map((row) => JSON.parse(row.body).data);
    expect(shown[0]).toMatchObject({ link: { destination: { threatTypes: ['MALWARE'] } } });
    expect(shown[1].link.destination).toEqual({ type: 'link', value });
    expect(shown[1].previous).toEqual({ destination: { type: 'link', value, threatTypes: ['MALWARE'] } });
  });

  test('a changed link has the web addresses of its new deep links scanned', async () => {
    const { body } = await api.call('POST', '/short-link', {
      destination: { ...link('https://old.example/'), iosDeepLink: 'https://before.example/' },
    });
    await api.call('PATCH', `/short-link/${body.id}`, {
      destination: { ...link('https://old.example/'), iosDeepLink: 'https://after.example/' },
      rules: [
        {
          priority: 1,
          osTypes: ['android'],
          destination: { ...link('https://old.example/'), androidDeepLink: 'https://rule.example/1' },
        },
      ],
    });
    expect(new Set(await urlsOf(body.id))).toEqual(
      new Set(['https://old.example/', 'https://after.example/', 'https://rule.example/1']),
    );
  });

  test('web addresses in deep links are scanned again by a rescan', async () => {
    const url = 'https://again.example/';
    await api.call('POST', '/short-link', { destination: { ...link('https://clean.example/'), iosDeepLink: url } });
    await store({ [url]: [] });
    const { due } = await readRescanPage(api.em, {
      after: null,
      limit: 1_000,
      askedBefore: new Date(Date.now() + 1_000),
    });
    expect(due.map((row) => row.url)).toContain(url);
  });
});
