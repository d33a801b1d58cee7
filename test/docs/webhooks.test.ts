// @module-tag process

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emOf } from '#test/support/entity-managers.ts';
import { findNoLocalAnswers } from '#test/support/local-answers.ts';
import { createSender, openEndpoint } from '#activities/webhooks/send.ts';
import { createGuardedHttp, type GuardedHttp } from '#adapters/http/guarded-http.ts';
import { recordAskedCheck } from '#commands/domains/checks.ts';
import { reportExpired } from '#commands/links/expire.ts';
import { createImport, importRows } from '#commands/imports/imports.ts';
import { storeVerdicts } from '#commands/threats/verdicts.ts';
import { hexHashOfUrl } from '#core/threats/url-hash.ts';
import { recordAttempts } from '#db/webhooks/deliveries/records.ts';
import { createSealing } from '#adapters/sealing.ts';
import { loadConfig } from '#config/load.ts';
import type { ClickColumn } from '#core/clicks/click.ts';
import { type DeliveredType, deliveredTypes } from '#core/webhooks/events.ts';
import { writeClickEvents } from '#db/clicks/events.ts';
import { readClicks } from '#db/clicks/lines.ts';
import { fanOut } from '#db/webhooks/fan-out.ts';
import { recoverSome } from '#db/webhooks/deliveries/recoveries.ts';
import { createTestApi, type TestApi, testSite } from '#test/support/api.ts';
import { allPermissions } from '#test/support/factories.ts';
import { createDelivery } from '#test/support/deliveries.ts';
import { clickLine } from '#test/support/clicks.ts';
import { createReceivers } from '#test/support/receivers.ts';
import { insertRow } from '#test/support/rows.ts';
import { pumpDue } from '#test/support/pumps.ts';

const docs = join(import.meta.dirname, '../../docs');
const guide = readFileSync(join(docs, 'webhooks.md'), 'utf8');
const events = readFileSync(join(docs, 'webhook-events.md'), 'utf8');
const config = loadConfig({});
const sealing = createSealing(['a key of the tests, long enough to be one']);

/** The commands of the guide, with the status behind `#` and the answer shown below, where one is. */
const steps = [
  ...guide.matchAll(/```sh\n([\s\S]*?)```\s*(?:```(?:ts|python|go|bash)\n[\s\S]*?```\s*)*(?:```json\n([\s\S]*?)```)?/g),
].map(([, block = '', answer]) => {
  const [, command = '', status] = /(curl [\s\S]*) # (\d{3})\s*$/.exec(block) ?? [];
  return { command, status: Number(status), answer };
});

let api: TestApi;
let address: string;
let http: GuardedHttp;
let receiver: string;
let code = 204;
const received: string[][] = [];
const receivers = createReceivers();
/** What the guide's reader has at hand. */
const env: Record<string, string> = { PATH: process.env.PATH ?? '' };
beforeAll(async () => {
  const port = await receivers.https((request, response) => {
    received.push(Object.keys(request.headers));
    request.resume().on('end', () => response.writeHead(code).end(code < 300 ? undefined : 'busy'));
  });
  receiver = `https://127.0.0.1:${port}/waymark`;
  http = createGuardedHttp({ allowedCidrs: ['127.0.0.1'], caFile: receivers.caFile });
  api = await createTestApi({ http, sealing });
  address = await api.app.listen({ host: '127.0.0.1', port: 0 });
  Object.assign(env, { API: address, KEY: api.organization.key });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await http.close();
  await receivers.dispose();
});

/** Hands events on and sends what is due, as relay and worker do; the receiver answers with `status`. */
async function deliver(status: number): Promise<void> {
  code = status;
  await fanOut(api.db, 100);
  await pumpDue({
    sql: api.db,
    webhookId: env.WEBHOOK!,
    send: createSender({ http, signatureHeader: config.WEBHOOK_SIGNATURE_HEADER }),
    open: (webhook) => openEndpoint(sealing, env.WEBHOOK!, webhook),
    gapsMs: config.WEBHOOK_RETRY_DELAYS.map((seconds) => seconds * 1_000),
    probeDelaysMs: config.WEBHOOK_PROBE_DELAYS.map((seconds) => seconds * 1_000),
  });
}

async function link(slug: string): Promise<{ id: string; domainId: string }> {
  const destination = { type: 'link', value: 'https://example.com/spring' };
  return (await api.call('POST', '/short-link', { slug, destination })).body;
}

/** What happens before a command of the guide, told by a part of it. */
const before: Record<string, () => Promise<unknown>> = {
  'deliveries?limit=1': () => deliver(204),
  '-i "$API/webhook/$WEBHOOK" ': async () => {
    // The sample of the step before.
    await deliver(204);
    await api.db.query('update webhooks set consecutive_failures = 17, next_probe_at = now() where id = $1', [
      env.WEBHOOK,
    ]);
    await link('another');
    await deliver(503);
  },
  '/recover"': async () => void (env.SINCE = new Date(Date.now() - 3_600_000).toISOString()),
  'status=pending': async () => {
    while (await recoverSome(api.em, 100));
    await deliver(204);
    await link('spring-sale');
    await deliver(503);
  },
  '/rotate-secret': () => deliver(204),
  '"scope': async () => void (env.FOLDER = api.organization.folderId),
};

describe('the commands of the webhooks guide', () => {
  it('each have a status', () => {
    expect(steps).toHaveLength(guide.match(/^ *curl /gm)!.length);
    for (const { command, status } of steps) expect({ command, isKnown: status > 0 }).toMatchObject({ isKnown: true });
  });

  it('the commands of the webhooks guide answer as shown, one after the other', async () => {
    for (const { command, status, answer } of steps) {
      const happens = Object.keys(before).find((part) => command.includes(part));
      if (happens !== undefined) await before[happens]!();
      const stdout = await run(command.replaceAll('https://hooks.example.com/waymark', receiver));
      const [head = '', body = ''] = stdout.split('\r\n\r\n');
      expect({ command, head, body }).toMatchObject({ head: expect.stringContaining(`HTTP/1.1 ${status}`) });
      if (answer !== undefined) {
        expect({ command, answer: plain(body) }).toEqual({ command, answer: plain(answer) });
      }
      const parsed = JSON.parse(body) as { id?: string; data?: { id: string }[] };
      if (command.includes('"$API/webhook" ')) env.WEBHOOK = parsed.id!;
      if (parsed.data?.[0] !== undefined) env.DELIVERY = parsed.data[0].id;
    }
  });
});

describe('what the webhooks guide says that arrives', () => {
  it('the webhooks guide shows the headers that are sent', () => {
    const [, request = ''] = /```http\n([\s\S]*?)\n\n/.exec(guide) ?? [];
    const shown = [...request.matchAll(/^([\w-]+):/gm)].map(([, name = '']) => name.toLowerCase());
    const sent = received[0]!.filter((name) => name !== 'connection' && name !== 'content-length');
    expect(sent.toSorted()).toEqual(shown.toSorted());
  });

  it.each(deliveredTypes)('the page of events shows the body of %s as it is sent', async (type) => {
    const { id, domainId } = await link(`of-${type.replace('.', '-')}`);
    await api.call('PATCH', `/short-link/${id}`, { slug: 'spring-sale-2' });
    await api.call('PATCH', `/short-link/${id}`, {
      destination: { type: 'link', value: 'https://example.com/summer' },
    });
    await click(id, domainId);
    await causes[type]?.(id);
    await api.call('DELETE', `/short-link/${id}`);
    const { rows } = await api.db.query<{ body: string }>(
      `select body from events where type = $1 and body not like '%"isTest"%' order by created_at desc, id desc limit 1`,
      [type],
    );
    const [, shown = ''] = new RegExp(`### ${type}\n\n\`\`\`json\n([\\s\\S]*?)\`\`\``).exec(events) ?? [];
    const slugs = /of-link-created|spring-sale-2/g;
    expect(plain(rows[0]!.body.replaceAll(slugs, 'spring-sale'))).toEqual(plain(shown));
    const order = (text: string): string[] => [...text.matchAll(/"(\w+)" ?:/g)].map(([, name = '']) => name);
    expect(order(rows[0]!.body)).toEqual(order(shown));
  });

  /** What causes the events that no call on a link causes. */
  const causes: Partial<Record<DeliveredType, (linkId: string) => Promise<unknown>>> = {
    'link.flagged': () => {
      const verdict = {
        urlHash: hexHashOfUrl('https://example.com/summer'),
        threatTypes: ['MALWARE' as const],
      };
      return storeVerdicts(emOf(api.db), [{ ...verdict, expiresAt: new Date(Date.now() + 60_000) }], testSite);
    },
    'link.expired': async (linkId) => {
      await api.db.query(`update short_links set expires_at = now() - interval '1 second' where id = $1`, [linkId]);
      const options = { site: testSite, now: new Date(), limit: 100 };
      await api.em.transactional((em) => reportExpired(em, options));
    },
    'link.capped': async (linkId) => {
      await insertRow(api.db, 'link_counters', { link_id: linkId, clicks: 1 });
      await api.call('PATCH', `/short-link/${linkId}`, { maxClicks: 1 });
    },
    'domain.verified': async () => checkDomain('right', await addDomain()),
    'domain.lost': async () => {
      const id = await addDomain();
      await checkDomain('right', id);
      await checkDomain('wrong', id);
    },
    'import.completed': async () => {
      const options = { site: testSite, now: new Date(), findLocalAnswers: findNoLocalAnswers };
      const draft = { format: 'csv' as const, header: ['url'], rows: [['https://example.com/']], bytes: 25 };
      const { id: organizationId, botId: userId } = api.organization;
      const actor = { organizationId, userId, plan: 'premium' as const, permissions: allPermissions };
      const { id } = await api.em.transactional((em) =>
        createImport(
          em,
          actor,
          { ...draft, domainId: undefined, folderId: undefined },
          { ...options, bytesPerDay: 1e9 },
        ),
      );
      for (const _ of ['row', 'end']) await api.em.transactional((em) => importRows(em, id, 10, options));
    },
    'webhook.disabled': async () => {
      const webhook = { organization_id: api.organization.id, name: 'CRM', url: 'https://hooks.example.com/waymark' };
      const { id: webhookId } = await insertRow(api.db, 'webhooks', { ...webhook, consecutive_failures: 17 });
      const { id } = await createDelivery(api.db, webhookId, { claim: 'a' });
      const answered = { code: 503, error: null, errorCode: null, body: null };
      const failed = { ...answered, durationMs: 1, endedAgoMs: 0, retryInMs: 1 };
      const attempt = { ...failed, id, isDelivered: false, isGone: false, at: new Date() };
      const before = { isActive: true, failures: 17 };
      await recordAttempts(api.db, { webhookId, pumpId: 'a', probeDelaysMs: [1] }, [attempt], before);
    },
  };

  async function addDomain(): Promise<string> {
    await api.db.query('update domains set deleted_at = now(), is_primary = false where organization_id = $1', [
      api.organization.id,
    ]);
    return (await api.call('POST', '/domain', { domain: 'go.example.com' })).body.id;
  }

  async function checkDomain(outcome: 'right' | 'wrong', id: string): Promise<void> {
    const domain = { id, organizationId: api.organization.id };
    const [startedAt, now] = [new Date(), new Date()];
    await recordAskedCheck(api.em, domain, { outcome, records: [] }, { startedAt, now, random: 0 });
  }

  async function click(linkId: string, domainId: string): Promise<void> {
    const { organization } = api;
    await insertRow(api.db, 'webhooks', { organization_id: organization.id, events: ['link.clicked'] });
    const columns: Partial<Record<ClickColumn, string>> = {
      country: 'DE',
      continent: 'EU',
      lang: 'de',
      city: 'Berlin',
      browser: 'Chrome',
      os: 'macOS',
      referer: 'news.example',
      utm_source: 'news',
    };
    const line = clickLine({ organization, domain: { id: domainId, domain: '' }, linkId }, columns);
    await writeClickEvents(api.db, (await readClicks(Buffer.from(line))).clicks, [organization.id], testSite);
  }
});

describe('the tables of the webhooks guide', () => {
  it('the webhooks guide has the schedule of retries', () => {
    const gaps = [...guide.matchAll(/^\| [2-6] +\| ([\d,]+) s/gm)].map(([, gap = '']) => Number(gap.replace(',', '')));
    expect(gaps).toEqual(config.WEBHOOK_RETRY_DELAYS);
  });

  it('the webhooks guide names hosts that are refused', async () => {
    const strict = createGuardedHttp();
    const [, block = ''] = /```text\n([\s\S]*?)```/.exec(guide) ?? [];
    const hosts = block.trim().split('\n');
    expect(hosts.length).toBeGreaterThan(5);
    for (const host of hosts) {
      const error: unknown = await strict.checkUrl(`https://${host}/`).catch((reason: unknown) => reason);
      expect({ host, error }).toMatchObject({ host, error: { kind: 'refused-address' } });
    }
    await strict.close();
  });
});

/** An answer without what differs from one time to the next. */
function plain(text: string): unknown {
  return JSON.parse(
    JSON.stringify(JSON.parse(text))
      .replaceAll(receiver, 'https://hooks.example.com/waymark')
      .replaceAll('http://localhost:3001/', 'https://go.example.com/')
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<moment>')
      .replaceAll(/whsec_[A-Za-z0-9+/]{43}=/g, '<secret>')
      .replaceAll(/"durationMs":\d+/g, '"durationMs":0'),
  );
}

function run(command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // The API runs in this process: a synchronous call would wait for itself.
    // Without the start-up file of the one who runs the tests, which bash reads where its input is a socket.
    execFile('bash', ['--norc', '-c', command], { env }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(error),
    );
  });
}
