import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFrameActivities, type FrameActivities } from '#activities/links/frames.ts';
import { createGuardedHttp, type GuardedHttp } from '#adapters/http/guarded-http.ts';
import { hashOfUrl } from '#core/threats/url-hash.ts';
import type { DestinationDraft } from '#core/links/destination.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { startsFor } from '#test/support/relay.ts';
import { site } from '#test/support/test-worker.ts';

const api = useOwnTestApi();

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
let activities: FrameActivities;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  http = createGuardedHttp({ allowedCidrs: ['127.0.0.1'], allowHttp: true });
  activities = createFrameActivities({ em: emOf(api.db), http, site });
});
afterAll(async () => {
  await http.close();
  server.close();
});

const to = (path: string): DestinationDraft => ({ type: 'link', value: `${origin}${path}` }) as DestinationDraft;
const ask = (linkId: string) => activities.askForFrames({ linkId });
const startedIds = async (): Promise<string[]> =>
  (await startsFor(api.db, 'frame-check')).map(({ options }) => options.workflowId);
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
  expect(await startedIds()).toEqual([`frame-check/${id}`]);
  expect(await ask(id)).toEqual({ asked: 1, refused: 1, unanswered: 0 });
  expect(await warningsOf(id)).toEqual(refusal);
  expect((await api.call('PATCH', `/short-link/${id}`, { title: 'x' })).body.warnings).toEqual(refusal);

  const changed = await api.call('PATCH', `/short-link/${id}`, { destination: to('/open') });
  expect(changed.body).not.toHaveProperty('warnings');
  expect(await startedIds()).toEqual([`frame-check/${id}`]);
  expect(await ask(id)).toEqual({ asked: 1, refused: 0, unanswered: 0 });
  expect(asked).toContain('/open');
  expect(await warningsOf(id)).toBeUndefined();
});

test('rules are asked too, and links without cloaking are not', async () => {
  const id = await create({
    destination: to('/open'),
    rules: [{ priority: 1, osTypes: ['ios'], destination: to('/denies') }],
  });
  expect(await startedIds()).toEqual([]);
  expect(await ask(id)).toEqual({ asked: 0, refused: 0, unanswered: 0 });
  await api.call('PATCH', `/short-link/${id}`, { cloaking: true });
  expect(await startedIds()).toEqual([`frame-check/${id}`]);
  expect(await ask(id)).toEqual({ asked: 2, refused: 1, unanswered: 0 });
  expect(await warningsOf(id)).toEqual(refusal);
});

test('a destination that does not answer changes nothing', async () => {
  const id = await create({ destination: to('/silent'), cloaking: true });
  await api.db.query('update destinations set frames_refused_by = $2 where link_id = $1', [
    id,
    hashOfUrl(`${origin}/silent`),
  ]);
  expect(await ask(id)).toEqual({ asked: 1, refused: 0, unanswered: 1 });
  expect(await warningsOf(id)).toEqual(refusal);
});
