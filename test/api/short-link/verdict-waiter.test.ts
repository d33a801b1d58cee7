import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { emOf } from '#test/support/entity-managers.ts';
import { createScanLag, createVerdictWaiter, type VerdictWaiter } from '#api/short-link/verdict-waiter.ts';
import { storeVerdicts } from '#commands/threats/verdicts.ts';
import { hexHashOfUrl } from '#core/threats/url-hash.ts';
import { createListener, type Listener } from '#db/notifications/listener.ts';
import { channels } from '#db/notifications/notify.ts';
import { claim, settle } from '#db/outbox.ts';
import { createLinkOwner, createScannedLinks, type LinkOwner } from '#test/support/durable.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { silent, site } from '#test/support/test-worker.ts';

let owner: LinkOwner;
let listener: Listener;
let waiter: VerdictWaiter;
let isLagging = false;
let counter = 0;

const onError = (error: Error): void => {
  throw error;
};
const caller = () => ({ organizationId: owner.organizationId, isBulk: false });
const nextUrl = (): string => `https://site${(counter += 1)}.example/`;
const hex = hexHashOfUrl;
const store = (url: string) =>
  storeVerdicts(
    emOf(db),
    [{ urlHash: hex(url), threatTypes: ['MALWARE'], expiresAt: new Date(Date.now() + 60_000) }],
    site,
  );

const db = useTestDatabase();
beforeAll(async () => {
  owner = await createLinkOwner(db);
  waiter = createVerdictWaiter({ em: emOf(db), isLagging: async () => isLagging, onError });
  listener = createListener({
    url: db.url,
    channels: [channels.verdicts],
    onNotification: (_channel, payload) => waiter.onVerdicts(payload),
    onGap: () => waiter.onGap(),
    log: silent,
  });
  await listener.start();
});
beforeEach(async () => {
  isLagging = false;
  await db.query('truncate outbox, threat_verdicts');
});
afterAll(() => listener.close());

describe('waiting for verdicts (9.1)', () => {
  test('waiting ends with the verdict', async () => {
    const url = nextUrl();
    using listening = waiter.listen([hex(url)]);
    await createScannedLinks(db, owner, [url]);
    const waiting = listening.wait([hex(url)], 20_000, caller());
    await store(url);
    expect(await waiting).toEqual(new Map([[hex(url), ['MALWARE']]]));
  });

  test('waiting does not miss a verdict that came before it', async () => {
    const url = nextUrl();
    using listening = waiter.listen([hex(url)]);
    waiter.onVerdicts(JSON.stringify({ [hex(url)]: [] }));
    expect(await listening.wait([hex(url)], 20_000, caller())).toEqual(new Map([[hex(url), []]]));
  });

  test('one caller may wait for several verdicts, and many callers for one', async () => {
    const urls = [nextUrl(), nextUrl()];
    const hashes = urls.map(hex);
    using listening = waiter.listen(hashes);
    using other = waiter.listen(hashes.slice(0, 1));
    const waiting = Promise.all([
      listening.wait(hashes, 20_000, caller()),
      other.wait(hashes.slice(0, 1), 20_000, caller()),
    ]);
    for (const hash of hashes) waiter.onVerdicts(JSON.stringify({ [hash]: [] }));
    expect((await waiting).map((found) => found.size)).toEqual([2, 1]);
  });

  test('waiting ends in time without a verdict', async () => {
    const hash = hex(nextUrl());
    using listening = waiter.listen([hash]);
    expect(await listening.wait([hash], 100, caller())).toEqual(new Map([[hash, null]]));
  });

  test('waiting does not begin while scans lag', async () => {
    isLagging = true;
    const hash = hex(nextUrl());
    using listening = waiter.listen([hash]);
    expect(await listening.wait([hash], 20_000, caller())).toEqual(new Map([[hash, null]]));
  });

  test('a gap in the notifications has verdicts read again', async () => {
    const url = nextUrl();
    const deaf = createVerdictWaiter({ em: emOf(db), isLagging: async () => false, onError });
    await createScannedLinks(db, owner, [url]);
    using listening = deaf.listen([hex(url)]);
    const waiting = listening.wait([hex(url)], 20_000, caller());
    deaf.onGap();
    await store(url);
    deaf.onGap();
    expect(await waiting).toEqual(new Map([[hex(url), ['MALWARE']]]));
  });
});

describe('whether scans lag', () => {
  const lag = (reachable = true) =>
    createScanLag({ em: emOf(db), isTemporalReachable: () => reachable, keepMs: 0 })(caller());
  const age = (table: string, column: string, seconds: number) =>
    db.query(`update ${table} set ${column} = now() - make_interval(secs => $1)`, [seconds]);

  test('scans do not lag when nothing waits, nor for a request of a moment ago', async () => {
    expect(await lag()).toBe(false);
    await createScannedLinks(db, owner, [nextUrl()]);
    expect(await lag()).toBe(false);
  });

  test('scans lag when no relay takes waiting rows', async () => {
    await createScannedLinks(db, owner, [nextUrl()]);
    await age('outbox', 'due_at', 2);
    expect(await lag()).toBe(true);
  });

  test('scans lag when a scan was started and has no answer', async () => {
    const url = nextUrl();
    await createScannedLinks(db, owner, [url]);
    await settle(db, await claim(db, 'threat-scan', { limit: 1, leaseMs: 1_000 }));
    await age('threat_verdicts', 'requested_at', 2);
    expect(await lag()).toBe(true);
    await store(url);
    expect(await lag()).toBe(false);
  });

  test('scans do not lag because of one URL without an answer for a minute', async () => {
    await createScannedLinks(db, owner, [nextUrl()]);
    await settle(db, await claim(db, 'threat-scan', { limit: 1, leaseMs: 1_000 }));
    await age('threat_verdicts', 'requested_at', 61);
    expect(await lag()).toBe(false);
  });

  test('scans lag while Temporal is unreachable', async () => {
    expect(await lag(false)).toBe(true);
  });

  test('the lag of scans is read once for all callers of one time', async () => {
    const em = emOf(db);
    const statements = vi.spyOn(em, 'kysely', 'get');
    const ask = createScanLag({ em, isTemporalReachable: () => true });
    await Promise.all(Array.from({ length: 50 }, () => ask(caller())));
    await ask(caller());
    expect(statements).toHaveBeenCalledTimes(1);
  });
});
