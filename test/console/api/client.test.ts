import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { addressOf, call, callTagged, connect } from '#console/api/client.ts';
import { type ApiError, issuesByPath } from '#console/api/error.ts';
import { pageBase, stubPage } from '#test/console/support/page-globals.ts';

interface Heard {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

interface Prepared {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Ends the connection instead of an answer. */
const broken: Prepared = { status: 0 };

let server: Server;
let answers: Prepared[];
let heard: Heard[];
let signIns: number;
let reached: boolean[];

beforeEach(async () => {
  answers = [];
  heard = [];
  signIns = 0;
  reached = [];
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stubPage(`http://127.0.0.1:${(server.address() as AddressInfo).port}/waymark/`);
  connect({
    async signInAgain() {
      signIns += 1;
    },
    onReach: (isReached) => void reached.push(isReached),
    confirm: async () => {},
    onForbidden() {},
  });
});

afterEach(async () => {
  vi.unstubAllGlobals();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const part of request) body += String(part);
  heard.push({ method: request.method!, url: request.url!, headers: request.headers, body });
  const prepared = answers.shift() ?? { status: 200, body: {} };
  if (prepared === broken) {
    request.socket.destroy();
    return;
  }
  const type = prepared.body === undefined ? {} : { 'content-type': 'application/json' };
  response.writeHead(prepared.status, { ...type, ...prepared.headers });
  response.end(prepared.body === undefined ? undefined : JSON.stringify(prepared.body));
}

// The client waits as long as the answer asks it to: 10 ms.
const refused = (status: number, code: string, retryAfter = 0.01): Prepared => ({
  status,
  body: { code, message: 'No.' },
  headers: { 'retry-after': String(retryAfter) },
});
const failureOf = (calling: Promise<unknown>): Promise<ApiError> =>
  calling.then(
    () => Promise.reject(new Error('the call succeeded')),
    (error: unknown) => error as ApiError,
  );

describe('a call of the API', () => {
  test('fills the path, repeats names of lists, and leaves out what is not set', () => {
    stubPage();
    expect(
      addressOf('/short-link/{id}', {
        params: { id: 'a/b' },
        query: { tagNames: ['x', 'y z'], search: '', page: 0, cursor: undefined, folder: null },
      }),
    ).toBe(`${pageBase}/short-link/a%2Fb?tagNames=x&tagNames=y+z&page=0`);
  });

  test('sends JSON with the key of the intent, and returns the answer with its ETag', async () => {
    answers = [{ status: 201, body: { id: 'x' }, headers: { etag: '"1"' } }];
    const body = { slug: 'a' };
    expect(await callTagged('POST', '/short-link', { body, idempotencyKey: 'k', ifMatch: '"0"' })).toEqual({
      data: { id: 'x' },
      etag: '"1"',
    });
    expect(heard).toMatchObject([
      {
        method: 'POST',
        url: '/waymark/short-link',
        headers: {
          'content-type': 'application/json',
          'idempotency-key': expect.stringMatching(/^k -?\d+$/),
          'if-match': '"0"',
        },
        body: JSON.stringify(body),
      },
    ]);
  });

  test('without a body answers undefined', async () => {
    answers = [{ status: 204 }];
    expect(await call('DELETE', '/tag/{id}', { params: { id: 'x' } })).toBeUndefined();
  });

  test('that only reads is repeated while the API is away', { tags: 'slow' }, async () => {
    answers = [broken, refused(503, 'UNAVAILABLE'), { status: 200, body: { ok: true } }];
    expect(await call('GET', '/tag/list')).toEqual({ ok: true });
    expect(heard).toHaveLength(3);
    expect(reached).toEqual([false, true, true]);
  });

  test('that makes something is repeated with the same key, and never without one', async () => {
    answers = [broken, { status: 201, body: {} }];
    await call('POST', '/short-link', { body: {}, idempotencyKey: 'one' });
    const keys = heard.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([expect.stringContaining('one'), keys[0]]);
    heard.length = 0;
    answers = [broken, { status: 201, body: {} }];
    expect(await failureOf(call('POST', '/short-link', { body: {} }))).toMatchObject({ status: 0, code: 'OFFLINE' });
    expect(heard).toHaveLength(1);
  });

  test('of one intent has another key where its body is another one', async () => {
    for (const slug of ['a', 'b', 'a']) await call('POST', '/short-link', { body: { slug }, idempotencyKey: 'one' });
    const keys = heard.map(({ headers }) => headers['idempotency-key']);
    expect(keys[2]).toBe(keys[0]);
    expect(keys[1]).not.toBe(keys[0]);
  });

  test('that deletes has worked where nothing is found after a lost answer, and only there', async () => {
    answers = [broken, refused(404, 'NOT_FOUND')];
    expect(await call('DELETE', '/tag/{id}', { params: { id: 'x' } })).toBeUndefined();
    answers = [refused(404, 'NOT_FOUND')];
    expect(await failureOf(call('DELETE', '/tag/{id}', { params: { id: 'x' } }))).toMatchObject({ status: 404 });
  });

  test('that was limited is repeated, because the API did nothing', async () => {
    answers = [refused(429, 'TOO_MANY_REQUESTS'), { status: 200, body: {} }];
    await call('PATCH', '/short-link/{id}', { params: { id: 'x' }, body: {} });
    expect(heard).toHaveLength(2);
  });

  test.each([
    ['asks for more than five seconds', 6, 'PATCH', '/short-link/{id}', {}],
    ['is about a sign-in', 0.01, 'POST', '/auth/login', { isSignIn: true }],
    ['is about the person', 0.01, 'POST', '/auth/confirm', {}],
  ] as const)('says at once that a limit is reached where it %s', async (_why, seconds, method, path, options) => {
    answers = [refused(429, 'RATE_LIMIT_EXCEEDED', seconds)];
    expect(await failureOf(call(method, path, { params: { id: 'x' }, body: {}, ...options }))).toMatchObject({
      status: 429,
    });
    expect(heard).toHaveLength(1);
  });

  test('is given up after five attempts', async () => {
    answers = Array.from({ length: 9 }, () => refused(503, 'UNAVAILABLE'));
    expect(await failureOf(call('GET', '/tag/list'))).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    expect(heard).toHaveLength(5);
  });

  test('that was refused for good is not repeated', async () => {
    for (const status of [400, 403, 404, 409, 412, 500]) {
      heard.length = 0;
      answers = [refused(status, 'NO')];
      expect(await failureOf(call('GET', '/tag/list'))).toMatchObject({ status, code: 'NO', message: 'No.' });
      expect(heard).toHaveLength(1);
    }
  });

  test('without a session goes on after the person signed in', async () => {
    answers = [refused(401, 'UNAUTHORIZED'), { status: 200, body: { id: 'x' } }];
    expect(await call('PATCH', '/short-link/{id}', { params: { id: 'x' }, body: { title: 'a' } })).toEqual({ id: 'x' });
    expect(signIns).toBe(1);
    expect(heard.map(({ body }) => body)).toEqual(['{"title":"a"}', '{"title":"a"}']);
  });

  test('of the sign-in itself hears that the password is wrong', async () => {
    answers = [refused(401, 'UNAUTHORIZED')];
    expect(await failureOf(call('POST', '/auth/login', { body: {}, isSignIn: true }))).toMatchObject({ status: 401 });
    expect(signIns).toBe(0);
  });

  test('that is no longer wanted ends without another attempt', async () => {
    const stopping = new AbortController();
    answers = Array.from({ length: 5 }, () => refused(503, 'UNAVAILABLE'));
    const calling = call('GET', '/tag/list', { signal: stopping.signal });
    stopping.abort(new Error('another page'));
    await expect(calling).rejects.toThrow('another page');
    expect(heard.length).toBeLessThan(2);
  });

  test('says why an organization is suspended, and where to ask', async () => {
    const suspended = { code: 'FORBIDDEN', message: 'This organization is suspended.' };
    answers = [
      { status: 403, body: { ...suspended, reason: 'Malware.', supportContact: 'mailto:help@example.com' } },
      { status: 403, body: { ...suspended, supportContact: null } },
    ];
    const said = async (): Promise<string> => (await failureOf(call('GET', '/tag/list'))).message;
    expect(await said()).toBe(
      'This organization is suspended. The operator says: “Malware.” Ask the operator: help@example.com',
    );
    expect(await said()).toBe('This organization is suspended. Ask the operator of this installation.');
  });

  test('names the wrong fields by their paths, the id of the call, and bodies that are no errors of the API', async () => {
    const issues = [
      { path: 'slug', message: 'is taken' },
      { path: 'slug', message: 'is long' },
      { path: 'tags.0', message: 'is empty' },
    ];
    answers = [
      { status: 400, body: { code: 'VALIDATION', message: 'Bad', issues }, headers: { 'x-request-id': 'r' } },
      { status: 500, body: ['<html>'] },
    ];
    const error = await failureOf(call('GET', '/tag/list'));
    expect(issuesByPath(error)).toEqual({ slug: 'Is taken', 'tags.0': 'Is empty' });
    expect(error.requestId).toBe('r');
    expect(await failureOf(call('GET', '/tag/list'))).toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      message: 'The API answered 500.',
    });
  });
});
