// @module-tag process
// @module-tag nightly

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient, type Outcome } from '#test/support/kill/client.ts';
import { causedTypes, drill, webhooksPerRound } from '#test/support/kill/drill.ts';
import { createLedger } from '#test/support/kill/ledger.ts';
import { createRandom } from '#test/support/kill/random.ts';
import { type Component, components, type KillStack, startKillStack } from '#test/support/kill/stack.ts';
import { type KillReceiver, startKillReceiver } from '#test/support/kill/receiver.ts';
import { eventually } from '#test/support/eventually.ts';
import { freePorts } from '#test/support/free-ports.ts';

// What `npm run soak` does for hours, on a whole Waymark of its own: its three processes are killed together, then its two servers,
// then each of all alone, while webhooks are sent. By day test/edge/process.test.ts and
// test/api/plugins/idempotency-kill.test.ts kill edges and APIs.

const firstSeed = 20_261;
// That a recovery takes less than a minute is measured by `npm run soak`, on a quiet machine.
const patience = 5;
const folder = mkdtempSync(join(tmpdir(), 'waymark-drills-'));
let receiver: KillReceiver;
let stack: KillStack;

beforeAll(async () => {
  receiver = await startKillReceiver(createRandom(firstSeed));
  stack = await startKillStack({
    folder,
    ports: await freePorts(5),
    env: receiver.env,
    // Beside other programs of a busy machine it would hardly run.
    hasSlowWorker: false,
  });
}, 400_000);
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe('killed by SIGKILL under load, nothing is lost, nothing doubled, and every webhook gets every event', () => {
  const rounds: (readonly Component[])[] = [
    ['edge', 'api', 'worker'],
    ['temporal', 'postgres'],
    ...components.map((component) => [component]),
  ];
  for (const [index, killed] of rounds.entries()) {
    const seed = firstSeed + index;
    test(`${killed.join(', ')}, seed ${seed}`, { timeout: 900_000 }, async () => {
      const result = await drill(stack, receiver, killed, { seed, patience });
      expect(result).toMatchObject({
        clicks: { lost: 0, twice: 0 },
        links: { lost: 0, twice: 0, verdictsMissing: 0 },
        events: { unwritten: {}, doubled: 0, types: causedTypes, undelivered: 0, altered: 0 },
        odd: [],
        recoverySeconds: expect.any(Number) as number,
      });
      expect(result.seen).toBeGreaterThan(50);
      expect(result.clicks.stored).toBeGreaterThanOrEqual(result.seen);
      expect(result.events.taken).toBeGreaterThanOrEqual(webhooksPerRound * result.events.written);
    });
  }
});

test('without PostgreSQL the API answers 503, cached links redirect, and all of it comes back by itself', async () => {
  using ledger = createLedger(stack, 4);
  using api = createClient(stack.apiUrl, 4);
  using edge = createClient(stack.edgeUrl, 4);
  const [cached, uncached] = await Promise.all([ledger.create('plain'), ledger.create('plain')]);
  expect(await ledger.visit(cached!.link!)).toBe(true);
  const headers = { 'x-api-key': stack.apiKey, 'content-type': 'application/json' };
  const body = JSON.stringify({ destination: { type: 'link', value: 'https://example.com/' } });
  const read = () => api.send({ path: `/short-link/${cached!.link!.id}`, headers });
  const make = () => api.send({ method: 'POST', path: '/short-link', headers, body });
  const visitUncached = () => edge.send({ path: `/${uncached!.link!.slug}`, headers: { host: stack.edgeHost } });
  const apiReady = () => api.send({ path: '/readyz' });
  const edgeReady = () => edge.send({ path: '/.well-known/waymark/readyz' });

  const { back } = stack.kill('postgres', 4_000);
  // Calls under way, calls on dead connections, calls without a connection: each 503 but for those before the end.
  const answers: Outcome[] = [];
  for (let round = 0; round < 5; round += 1) answers.push(...(await Promise.all([read(), make(), read(), make()])));
  for (const answer of answers.filter(({ kind }) => kind === 'answer'))
    expect([200, 201, 503]).toContain(statusOf(answer));
  expect(answers.map(statusOf)).not.toContain(undefined);
  for (const call of [read, make, visitUncached]) {
    const answer = await call();
    expect(answer).toMatchObject({
      status: 503,
      headers: { 'retry-after': expect.stringMatching(/^[1-9]/) as string },
    });
  }
  expect(await ledger.visit(cached!.link!)).toBe(true);
  expect(await apiReady()).toMatchObject({ status: 503 });
  expect(namesOf(await apiReady())).toContain('database');
  expect(await edgeReady()).toMatchObject({ status: 200 });
  // What readyz says may be a second old.
  await eventually(
    async () => namesOf(await edgeReady()),
    (names) => names.includes('database'),
  );

  await back;
  for (const call of [read, make, visitUncached]) {
    await eventually(call, (answer) => [200, 201, 302].includes(statusOf(answer) ?? 0));
  }
  await eventually(apiReady, (answer) => statusOf(answer) === 200 && !namesOf(answer).includes('database'));
  await eventually(edgeReady, (answer) => namesOf(answer).length === 0);
  expect(await ledger.visit(cached!.link!)).toBe(true);
  const counted = await eventually(
    async () => (await stack.db.query('select clicks from link_counters where link_id = $1', [cached!.link!.id])).rows,
    (rows) => rows[0]?.clicks === 3,
  );
  expect(counted).toHaveLength(1);
});

function statusOf(outcome: Outcome): number | undefined {
  return outcome.kind === 'answer' ? outcome.status : undefined;
}

function namesOf(outcome: Outcome): string[] {
  if (outcome.kind !== 'answer') throw new Error(`the request was ${outcome.kind}`);
  return (JSON.parse(outcome.body) as { degraded: string[] }).degraded;
}
