import { PassThrough } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { bodyLimits, bodyShareBytes } from '#api/limits/body-limits.ts';
import { type Answer, useTestApi } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { createOrganization } from '#test/support/factories.ts';

const api = useTestApi();
const body = JSON.stringify({ links: [{ destination: { type: 'link', value: 'https://example.com/' } }] });

/** Begins a bulk call whose body comes later, as a slow client's. */
function begin(headers: Record<string, string>): { body: PassThrough; answer: Promise<Answer> } {
  const payload = new PassThrough();
  const options = { payload, headers: { 'content-type': 'application/json', ...headers } };
  return { body: payload, answer: api.call('POST', '/short-link/bulk', undefined, options) };
}

test('an organization has 64 MiB of large bodies under way: the next is 429 unread, small calls and others pass', async () => {
  const length = { 'content-length': String(bodyLimits.large) };
  const slow = Array.from({ length: bodyShareBytes / bodyLimits.large - 1 }, () => begin(length));
  // A length that is not told counts as the most.
  slow.push(begin({ 'transfer-encoding': 'chunked' }));
  const refused = await begin(length).answer;
  expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([
    429,
    'RATE_LIMIT_EXCEEDED',
    '5',
  ]);
  expect((await api.call('POST', '/tag', { name: 'small' })).status).toBe(201);
  const other = await createOrganization(api.db);
  const passing = begin({ 'x-api-key': other.key });
  passing.body.end(body);
  expect((await passing.answer).status).toBe(201);
  // Other bodies than they told: 400.
  for (const one of slow) one.body.end(body);
  expect(new Set((await Promise.all(slow.map(({ answer }) => answer))).map(({ status }) => status))).toEqual(
    new Set([400, 201]),
  );
  const again = begin(length);
  again.body.end(body);
  expect((await again.answer).status).toBe(400);
});

test('an address has 64 MiB of large messages to /mcp under way: the next is 429 unread, and small ones pass', async () => {
  const send = (payload: PassThrough | string, bytes: number) => {
    const headers = { 'content-type': 'application/json', 'content-length': String(bytes) };
    return api.call('POST', '/mcp', undefined, { payload, headers });
  };
  const slow: { body: PassThrough; answer: Promise<Answer> }[] = [];
  while (slow.length < bodyShareBytes / bodyLimits.message) {
    for (let call = 0; call < 32; call += 1) {
      const message = new PassThrough();
      slow.push({ body: message, answer: send(message, bodyLimits.message) });
    }
    // An address has 50 calls a second.
    await setTimeout(1_100);
  }
  const refused = await send(new PassThrough(), bodyLimits.message);
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5']);
  expect((await send('{}', 2)).status).not.toBe(429);
  for (const { body: message } of slow) message.end('{}');
  expect((await Promise.all(slow.map(({ answer }) => answer))).some(({ status }) => status === 429)).toBe(false);
});

test(
  'small bodies have a share of their own, which slow calls of all keys use up together',
  { tags: 'nightly' },
  async () => {
    const { key } = await createOrganization(api.db);
    const headers = {
      'content-type': 'application/json',
      'content-length': String(bodyLimits.single),
      'x-api-key': key,
    };
    const slow = Array.from({ length: bodyShareBytes / bodyLimits.single }, () => {
      const payload = new PassThrough();
      return { payload, answer: api.call('POST', '/tag', undefined, { payload, headers }) };
    });
    const more = () => api.call('POST', '/tag', {}, { headers: { 'x-api-key': key } });
    expect((await eventually(more, ({ status }) => status === 429)).body.message).toContain('64 MiB');
    expect((await api.call('GET', '/tag/list', undefined, { headers: { 'x-api-key': key } })).status).toBe(200);
    for (const { payload } of slow) payload.end('{}');
    await Promise.all(slow.map(({ answer }) => answer));
    expect((await more()).status).toBe(400);
  },
);
