// @module-tag process
// @module-tag nightly

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { auditClicks, auditLinks } from '#test/support/kill/audit.ts';
import { createClient, type Outcome } from '#test/support/kill/client.ts';
import type { KnownCreate, KnownLink } from '#test/support/kill/ledger.ts';
import { eventually } from '#test/support/eventually.ts';
import { createOrganization } from '#test/support/factories.ts';
import { startProcess } from '#test/support/product-process.ts';
import { createTestDatabase, temporalForTest } from '#test/support/stack.ts';
import { createReceivers } from '#test/support/receivers.ts';
import { startEndpoint } from '#test/support/webhook-stack.ts';

// The shape of production, without its containers: two of each process, a client that moves on from one that is gone, as a
// proxy does, and no supervisor that restarts killed processes.

const creates = 60;
const visitsEach = 3;
const lanes = 6;
const host = 'localhost:3001';
// A person's; bots do not count.
const userAgent = 'Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';

const statusOf = (outcome: Outcome): number | undefined => (outcome.kind === 'answer' ? outcome.status : undefined);

test('of two APIs, edges and workers one each is killed under load, and nothing is lost or doubled', async () => {
  await using stopped = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'waymark-two-'));
  stopped.defer(() => rmSync(folder, { recursive: true, force: true }));
  const database = stopped.use(await createTestDatabase());
  const db = createDatabase({ url: database.url, onError: () => {} });
  stopped.defer(() => db.close());
  const receivers = createReceivers();
  stopped.defer(() => receivers.dispose());
  const endpoint = await startEndpoint(receivers);
  const organization = await createOrganization(db);
  const env = {
    TEMPORAL_TASK_QUEUE: temporalForTest().taskQueue,
    PLATFORM_DOMAIN: host,
    // As the edges of one machine do: each has a journal of its own in it, and ships a dead one's too.
    WAYMARK_DATA_DIR: folder,
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    WEBHOOK_CA_FILE: receivers.caFile,
    WEBHOOK_RETRY_DELAYS: '0.3,0.6,1,2,4',
    THREAT_SCAN_WAIT_MS: '0',
  };
  const start = (role: 'api' | 'edge' | 'worker') =>
    Promise.all([1, 2].map(async () => stopped.use(await startProcess(role, database.url, env))));
  const [apis, edges, workers] = await Promise.all([start('api'), start('edge'), start('worker')]);
  const clients = [...apis, ...edges].map(({ url }) => stopped.use(createClient(url, lanes)));
  const headers = { 'x-api-key': organization.key, 'content-type': 'application/json' };
  const subscribe = await clients[0]!.send({
    method: 'POST',
    path: '/webhook',
    headers,
    body: JSON.stringify({ url: endpoint.url, events: ['link.created', 'link.clicked'] }),
  });
  expect(statusOf(subscribe)).toBe(201);

  const known: KnownCreate[] = [];
  const odd: string[] = [];
  let turn = 0;
  const note = (what: string, { kind, ...rest }: Outcome): void => {
    if (kind === 'answer') odd.push(`${what} ${JSON.stringify(rest)}`);
  };

  /** Asks one API and then, by the same key, the other. */
  async function create(): Promise<KnownLink | undefined> {
    const key = randomUUID();
    const made: KnownCreate = { key, url: `https://clean.example/${key}`, kind: 'plain' };
    known.push(made);
    const body = JSON.stringify({ destination: { type: 'link', value: made.url } });
    const first = (turn += 1) % 2;
    let wasBroken = false;
    for (const api of [clients[first]!, clients[1 - first]!]) {
      const call = { method: 'POST', path: '/short-link', headers: { ...headers, 'idempotency-key': key }, body };
      const outcome = await api.send(call);
      if (statusOf(outcome) === 201 && outcome.kind === 'answer') {
        const { id, slug } = JSON.parse(outcome.body) as { id: string; slug: string };
        return (made.link = { id, slug, url: made.url, seen: 0, unsure: 0, updates: 0, once: new Set() });
      }
      // The claim of the call that died with its API.
      if (!(wasBroken && statusOf(outcome) === 409)) note('API', outcome);
      wasBroken = outcome.kind === 'broken';
    }
    return undefined;
  }

  async function visit(link: KnownLink): Promise<void> {
    const first = (turn += 1) % 2;
    for (const edge of [clients[2 + first]!, clients[3 - first]!]) {
      const outcome = await edge.send({ path: `/${link.slug}`, headers: { host, 'user-agent': userAgent } });
      if (outcome.kind === 'broken') link.unsure += 1;
      if (outcome.kind !== 'answer') continue;
      if (outcome.status === 302 && outcome.headers.location === link.url) link.seen += 1;
      else note('edge', outcome);
      return;
    }
  }

  const work = async (): Promise<void> => {
    while (known.length < creates) {
      const link = await create();
      if (link === undefined) continue;
      for (let round = 0; round < visitsEach; round += 1) await visit(link);
    }
  };
  const reached = (count: number): Promise<unknown> =>
    eventually(
      () => known.length,
      (made) => made >= count,
    );
  const kill = async (): Promise<void> => {
    for (const [index, [victim]] of [apis, edges, workers].entries()) {
      await reached((creates * (index + 1)) / 4);
      await victim!.kill();
    }
  };
  await Promise.all([kill(), ...Array.from({ length: lanes }, work)]);

  expect(odd).toEqual([]);
  const answered = known.filter((made) => made.link !== undefined);
  const links = answered.map((made) => made.link!);
  // At most what was under way to the API that died.
  expect(answered.length).toBeGreaterThanOrEqual(creates - lanes);
  const settled = { links: { lost: 0, twice: 0, verdictsMissing: 0 }, clicks: { lost: 0, twice: 0 }, undelivered: 0 };
  const audit = async () => {
    const { rows } = await db.query<{ id: string; type: string }>(
      'select id, type from events where link_id = any($1::uuid[])',
      [links.map(({ id }) => id)],
    );
    const counts = Object.groupBy(rows, ({ type }) => type);
    return {
      links: await auditLinks(db, answered),
      clicks: await auditClicks(db, links),
      created: counts['link.created']?.length ?? 0,
      clicked: counts['link.clicked']?.length ?? 0,
      undelivered: rows.filter(({ id }) => !endpoint.accepted.has(id)).length,
    };
  };
  const result = await eventually(
    audit,
    ({ links: made, clicks, clicked, undelivered }) =>
      made.verdictsMissing + clicks.lost + undelivered === 0 && clicked === clicks.stored,
  );
  expect(result).toMatchObject(settled);
  expect(result.created).toBe(links.length);
  expect(result.clicks.stored).toBeGreaterThanOrEqual(links.reduce((sum, { seen }) => sum + seen, 0));
  // A create that was cut off made one link or none.
  expect((await auditLinks(db, known)).twice).toBe(0);
});
