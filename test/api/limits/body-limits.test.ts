// @module-tag slow

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bodyLimits, structureProblem } from '#api/limits/body-limits.ts';
import { type Answer, useTestApi } from '#test/support/api.ts';

const api = useTestApi();

const headers = { 'content-type': 'application/json' };
const send = (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, payload: string): Promise<Answer> =>
  api.call(method, path, undefined, { payload, headers });

/** An object of `bytes` bytes, with one unknown field. */
const bodyOf = (bytes: number): string => {
  const empty = '{"surplus":""}';
  return empty.replace('""', `"${'x'.repeat(bytes - empty.length)}"`);
};
const withSurplus = (count: number, body: object = {}): string =>
  JSON.stringify({
    ...body,
    ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`surplus${index}`, 1])),
  });

describe('bodies that are too large (1.11, 13.2)', () => {
  it.each([
    ['POST', '/tag', 65_536],
    ['POST', '/short-link', 262_144],
    ['PATCH', `/short-link/${randomUUID()}`, 262_144],
    ['PUT', '/short-link/upsert', 262_144],
    ['POST', '/short-link/check', 262_144],
    ['POST', '/webhook', 65_536],
    ['PATCH', `/domain/${randomUUID()}`, 524_288],
    ['POST', '/short-link/bulk', 4_194_304],
    ['PATCH', '/short-link/bulk', 4_194_304],
    ['DELETE', '/short-link/bulk', 4_194_304],
  ] as const)('%s %s takes %i bytes', async (method, path, bytes) => {
    const fits = await send(method, path, bodyOf(bytes));
    expect(fits.status).toBe(400);
    expect(fits.body.issues).toContainEqual({ path: 'surplus', message: 'is not a known field' });
    const larger = await send(method, path, bodyOf(bytes + 1));
    expect([larger.status, larger.body.code, larger.body.issues]).toEqual([
      400,
      'VALIDATION_ERROR',
      [{ path: '', message: `The body is too large: it may have ${bytes} bytes.` }],
    ]);
  });

  it('16 KiB are read under /auth/, without a key or a session', async () => {
    const login = (payload: string) =>
      api.app.inject({ method: 'POST', url: '/auth/login', payload, headers: { ...headers, host: 'localhost' } });
    expect((await login(bodyOf(16_384))).json().issues).toContainEqual({
      path: 'surplus',
      message: 'is not a known field',
    });
    const larger = await login(withSurplus(300_000));
    expect([larger.statusCode, larger.json().issues[0].message]).toEqual([
      400,
      'The body is too large: it may have 16384 bytes.',
    ]);
    const crowded = await login(withSurplus(900));
    expect(crowded.statusCode).toBe(400);
    // E-mail and password are missing too.
    expect([crowded.json().issues.length, crowded.json().moreIssues]).toEqual([100, 802]);
  });
});

const shuffle = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);

/** 110 objects of 101 fields. @param numberOf tells the number in a field's name by its object and its place there, from 1. */
const objects = (numberOf: (at: number, field: number) => number): string =>
  Array.from(
    { length: 110 },
    (_, at) => `{${Array.from({ length: 101 }, (_, field) => `"name${numberOf(at + 1, field + 1)}":1`).join(',')}}`,
  ).join(',');

describe('bodies of too many parts (1.11)', () => {
  const single = 'The body has too many parts: it may have 16384 commas, colons and opening brackets.';
  const bulk = 'The body has too many parts: it may have 160000 commas, colons and opening brackets.';
  const deep = 'The body is nested too deeply.';
  const crowded = 'An object of the body has too many fields: it may have 1000.';
  const mixed = 'The objects of the body differ too much in the names and the order of their fields.';
  // What is no JSON at its end shows that the bound stands before the parser.
  it.each([
    ['POST', '/short-link/bulk', 'empty objects', `{"links":[${'{},'.repeat(80_000)}`, bulk],
    ['PATCH', '/short-link/bulk', 'numbers', `{"ids":[${'1,'.repeat(160_000)}`, bulk],
    ['DELETE', '/short-link/bulk', 'fields', `{${'"a":1,'.repeat(1_001)}`, crowded],
    ['POST', '/short-link/bulk', 'fields of many', `{"links":[${`{${'"a":1,'.repeat(800)}},`.repeat(101)}`, bulk],
    ['PATCH', '/short-link/bulk', 'names of fields', `{"links":[${objects((at, field) => at * 101 + field)}`, mixed],
    ['POST', '/short-link/bulk', 'orders of fields', `{"links":[${objects((at, field) => (at * field) % 101)}`, mixed],
    ['POST', '/short-link/bulk', 'levels', '['.repeat(1_001), deep],
    ['POST', '/tag', 'empty lists', `{"tags":[${'[],'.repeat(8_192)}`, single],
  ] as const)('%s %s refuses too many %s before it parses them', async (method, path, _what, payload, message) => {
    const { status, body } = await send(method, path, payload);
    expect([status, body.code, body.issues]).toEqual([400, 'VALIDATION_ERROR', [{ path: '', message }]]);
  });

  it('what stands in texts does not count', async () => {
    const payload = JSON.stringify({ surplus: '\\"{[,:'.repeat(5_000) });
    expect((await send('POST', '/tag', payload)).body.issues).toContainEqual({
      path: 'surplus',
      message: 'is not a known field',
    });
  });

  it('100 links with 100 rules each fit, in whatever order a client writes the fields of each rule', () => {
    const rules = Array.from({ length: 100 }, (_, priority) => ({
      priority,
      countries: ['DE'],
      destination: { type: 'link', value: `https://example.com/${priority}` },
    }));
    const links = Array.from({ length: 100 }, () => ({
      destination: { type: 'link', value: 'https://example.com/' },
      tags: Array.from({ length: 100 }, (_, index) => `tag ${index}`),
      rules: rules.map((rule) => Object.fromEntries(shuffle(Object.entries(rule)))),
    }));
    expect(structureProblem(Buffer.from(JSON.stringify({ links })), bodyLimits.large)).toBeUndefined();
  });
});

describe('more wrong fields than anybody reads (1.2)', () => {
  it('a hundred are named, and the others counted', async () => {
    const { status, body } = await send('POST', '/tag', withSurplus(900, { name: 'Kept' }));
    expect(status).toBe(400);
    expect(body.issues).toHaveLength(100);
    expect(body.issues[99]).toEqual({ path: 'surplus99', message: 'is not a known field' });
    expect(body.moreIssues).toBe(800);
    const all = await send('POST', '/tag', withSurplus(100, { name: 'Kept' }));
    expect(all.body.issues).toHaveLength(100);
    expect(all.body).not.toHaveProperty('moreIssues');
  });

  it('those of the body and the query count together', async () => {
    const { body } = await send('POST', '/tag?one=1&two=2', withSurplus(150, { name: 'Kept' }));
    expect([body.issues.length, body.moreIssues]).toEqual([100, 52]);
  });

  it('each row of a bulk call has its own', async () => {
    const row = JSON.parse(withSurplus(900)) as object;
    const { status, body } = await api.call('POST', '/short-link/bulk', { links: [row, row] });
    expect(status).toBe(201);
    for (const { error } of body.results) expect([error.issues.length, error.moreIssues]).toEqual([100, 801]);
  });

  it('long lists are refused as a whole, and names of any length are cut', async () => {
    const destination = { type: 'link', value: 'https://example.com' };
    const events = Array.from({ length: 10_000 }, () => 1);
    const webhook = await api.call('POST', '/webhook', { url: 'https://receiver.example', events });
    expect(webhook.body.issues).toEqual([{ path: 'events', message: 'must have at most 100 items' }]);
    const link = await api.call('POST', '/short-link', { destination, ['x'.repeat(50_000)]: 1 });
    expect(link.body.issues).toEqual([{ path: `${'x'.repeat(200)}…`, message: 'is not a known field' }]);
  });
});
