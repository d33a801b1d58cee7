import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { readDocument } from '#test/support/openapi.ts';
import { type BrowserHeaders, createSignedIn } from '#test/support/people.ts';

// Pages of other sites make the browser of a signed-in person call the API.

const api = useTestApi();

interface Operation {
  method: string;
  path: string;
  needsSession: boolean;
}

let operations: Operation[];
let headers: BrowserHeaders;
beforeAll(async () => {
  const body = await readDocument(api);
  const paths: Record<string, Record<string, { security?: object[] }>> = body.paths;
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security }]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, uuidv7()),
      needsSession: security === undefined || security.length > 0,
    })),
  );
  ({ headers } = await createSignedIn(api.db, api.organization.id, 'owner'));
});

const forged: readonly (readonly [title: string, headers: Record<string, string | undefined>])[] = [
  ['another site', { origin: 'https://evil.example' }],
  ['a sandboxed frame', { origin: 'null' }],
  ['another port of this host', { origin: 'http://localhost:3999' }],
  ['another scheme', { origin: 'https://localhost:3000' }],
  ['a host that begins alike', { origin: 'http://localhost:3000.evil.example' }],
];

describe.each(forged)('a page of %s', (_title, given) => {
  it('changes nothing with the session of a person: every such operation answers 403', async () => {
    const changing = operations.filter(({ method, needsSession }) => method !== 'GET' && needsSession);
    expect(changing.length).toBeGreaterThan(50);
    const answers = await Promise.all(
      changing.map(async ({ method, path }) => {
        const { status, body } = await api.call(method as 'POST', path, {}, { headers: { ...headers, ...given } });
        return `${method} ${path}: ${status} ${body.code}`;
      }),
    );
    expect(answers.filter((answer) => !answer.endsWith(': 403 FORBIDDEN'))).toEqual([]);
  });

  it('signs no one in and asks for no mail: every operation of the sign-in answers 403', async () => {
    const signIns = operations.filter(
      ({ method, path, needsSession }) => method === 'POST' && !needsSession && path.startsWith('/auth/'),
    );
    expect(signIns.length).toBeGreaterThan(5);
    for (const { path } of signIns) {
      const calling = { headers: { 'x-api-key': undefined, ...given } };
      const { status, body } = await api.call('POST', path, {}, calling);
      expect([path, status, body.code]).toEqual([path, 403, 'FORBIDDEN']);
    }
  });
});

it('a call without an Origin changes nothing with the session of a person', async () => {
  const changing = operations.filter(({ method, needsSession }) => method !== 'GET' && needsSession);
  for (const { method, path } of changing) {
    const calling = { headers: { ...headers, origin: undefined } };
    const { status, body } = await api.call(method as 'POST', path, {}, calling);
    expect([method, path, status, body.code]).toEqual([method, path, 403, 'FORBIDDEN']);
  }
});

it('no operation that reads changes the session, whatever page calls it', { tags: 'slow' }, async () => {
  const session = () => api.call('GET', '/auth/session', undefined, { headers });
  const before = await session();
  for (const { method, path } of operations.filter(({ method, needsSession }) => method === 'GET' && needsSession)) {
    await api.app.inject({
      method: method as 'GET',
      url: path,
      headers: { cookie: headers.cookie, origin: 'https://evil.example' },
    });
  }
  expect((await session()).body).toEqual(before.body);
});
