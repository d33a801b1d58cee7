import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGuardedHttp, type GuardedHttp } from '#adapters/http/guarded-http.ts';
import { createStartWorkflow } from '#adapters/temporal/start.ts';
import { urlHash } from '#commands/threats/verdicts.ts';
import { stateKey } from '#core/temporal/search-attributes.ts';
import type { DestinationDraft } from '#core/links/destination.ts';
import { createKindDispatcher } from '#relay/kinds.ts';
import type { RelayPart } from '#relay/dispatcher.ts';
import { useTestApi } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { recordHistory } from '#test/support/histories.ts';
import { relayContext } from '#test/support/relay.ts';
import { temporalForTest } from '#test/support/stack.ts';
import { startTestWorker, type TestWorker } from '#test/support/test-worker.ts';
import { frameCheckStatusQuery } from '#workflows/frame-check.ts';

const api = useTestApi();

// Answers by path; asked counts them.
const answers: Record<string, Record<string, string>> = {
  '/open': {},
  '/denies': { 'x-frame-options': 'DENY' },
  '/moves': { location: '/denies' },
};
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(request.url!);
  const headers = answers[request.url!];
  if (headers === undefined) return void response.destroy();
  response.writeHead('location' in headers ? 302 : 200, headers).end('<p>page');
});
let origin: string;
let http: GuardedHttp;
let worker: TestWorker;
let relay: RelayPart;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  http = createGuardedHttp({ allowedCidrs: ['127.0.0.1'], allowHttp: true });
  worker = await startTestWorker({
    temporal: temporalForTest(),
    sql: api.db,
    scanner: { name: 'none', lookup: () => Promise.reject(new Error('not asked')), close: async () => {} },
    frames: { http },
  });
  relay = createKindDispatcher('frame-check', relayContext({ db: api.db, startWorkflow: createStartWorkflow(worker) }));
});
afterAll(async () => {
  await relay.stop();
  await worker[Symbol.asyncDispose]();
  await http.close();
  server.close();
});

const to = (path: string): DestinationDraft => ({ type: 'link', value: `${origin}${path}` }) as DestinationDraft;
const handleOf = (id: string) => worker.client.workflow.getHandle(`frame-check/${id}`);
const warningsOf = async (id: string): Promise<unknown> => (await api.call('GET', `/short-link/${id}`)).body.warnings;
const refusal = [
  { path: 'cloaking', code: 'FRAMES_REFUSED', message: expect.stringContaining('redirected') as string },
];
async function create(fields: object): Promise<string> {
  const { status, body } = await api.call('POST', '/short-link', fields);
  expect(status).toBe(201);
  return body.id;
}

test('a page that refuses frames is found when cloaking is set, warned of, and asked again when the destination changes', async () => {
  const id = await create({ destination: to('/moves'), cloaking: true });
  await eventually(
    () => warningsOf(id),
    (warnings) => warnings !== undefined,
  );
  expect(await warningsOf(id)).toEqual(refusal);
  expect(await handleOf(id).result()).toEqual({ asked: 1, refused: 1, unanswered: 0 });
  expect((await handleOf(id).describe()).typedSearchAttributes.get(stateKey)).toBe('completed');
  await recordHistory('frame-check', handleOf(id));
  expect((await api.call('PATCH', `/short-link/${id}`, { title: 'x' })).body.warnings).toEqual(refusal);

  const changed = await api.call('PATCH', `/short-link/${id}`, { destination: to('/open') });
  expect(changed.body).not.toHaveProperty('warnings');
  await eventually(async () => asked.includes('/open'));
  expect(await warningsOf(id)).toBeUndefined();
});

test('rules are asked too, and links without cloaking are not', async () => {
  const before = asked.length;
  const id = await create({
    destination: to('/open'),
    rules: [{ priority: 1, osTypes: ['ios'], destination: to('/denies') }],
  });
  expect(await warningsOf(id)).toBeUndefined();
  expect(asked).toHaveLength(before);
  await api.call('PATCH', `/short-link/${id}`, { cloaking: true });
  await eventually(
    () => warningsOf(id),
    (warnings) => warnings !== undefined,
  );
  expect(await handleOf(id).result()).toEqual({ asked: 2, refused: 1, unanswered: 0 });
});

test('a destination that does not answer changes nothing, and is asked again', async () => {
  const id = await create({ destination: to('/silent'), cloaking: true });
  await api.db.query('update destinations set frames_refused_by = $2 where link_id = $1', [
    id,
    urlHash(`${origin}/silent`),
  ]);
  await eventually(
    () =>
      handleOf(id)
        .query(frameCheckStatusQuery)
        .catch(() => undefined),
    (found) => found?.unanswered === 1,
  );
  expect(await warningsOf(id)).toEqual(refusal);
  // The link changes while the workflow waits for its next attempt.
  await api.call('PATCH', `/short-link/${id}`, { destination: to('/open') });
  expect(await handleOf(id).result()).toEqual({ asked: 1, refused: 0, unanswered: 0 });
  await recordHistory('frame-check-retried', handleOf(id));
});
