// @module-tag slow

import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { useFixture } from '#test/support/fixture.ts';
import type { Schema } from '#test/support/openapi.ts';
import { exampleOf } from '#test/support/operation-inputs.ts';
import { createWalker } from '#test/support/walker.ts';

/** Null in the bodies of POST, of all operations of /doc (1.5). */

const walker = useFixture(createWalker);
const api = useTestApi();

/** Whether a field may be left out, and where it is: nested objects too. */
function* optionalFields(schema: Schema, base: string[] = []): Generator<string[]> {
  const own = walker.description.resolve(schema);
  for (const [name, part] of Object.entries(own.properties ?? {})) {
    const path = [...base, name];
    // Permissions are a map: each resource is listed, or is not.
    if (name === 'permissions') continue;
    if (own.required?.includes(name) !== true) yield path;
    else yield* optionalFields(part, path);
  }
}

/** A copy of a body with null at a path; objects of the path that the body lacks are left out. */
function withNull(body: unknown, [name, ...rest]: string[]): object {
  const fields = (body ?? {}) as Record<string, unknown>;
  return { ...fields, [name!]: rest.length === 0 ? null : withNull(fields[name!], rest) };
}

describe('null in the body of a POST', () => {
  it('every optional field of every body takes null', async () => {
    const { operations, description } = walker;
    const refused: string[] = [];
    const tried: string[] = [];
    for (const operation of operations) {
      const { name, method, path, body } = operation;
      const isUpsert = path === '/short-link/upsert';
      if (body === undefined || (method !== 'POST' && !isUpsert)) continue;
      for (const field of optionalFields(body)) {
        const example = exampleOf(operation, description.resolve);
        const input = { ...example, body: withNull(example.body, field) };
        const answer = await walker.call(operation, input, await walker.allowedHeaders(operation));
        tried.push(`${name} ${field.join('.')}`);
        const issues = answer.body?.issues?.map((issue) => issue.path) ?? [];
        if (issues.includes(field.join('.'))) refused.push(`${name} ${field.join('.')}`);
      }
    }
    expect(refused).toEqual([]);
    expect(tried).toEqual(
      expect.arrayContaining([
        'POST /short-link slug',
        'POST /short-link destination.enableDeepLinking',
        'PUT /short-link/upsert tags',
        'POST /short-link/{id}/duplicate slug',
        'POST /short-link/{id}/move slug',
        'POST /webhook scope',
        'POST /webhook/{id}/test type',
        'POST /tag color',
        'POST /folder color',
      ]),
    );
  });

  it('null has the effect of a field that is not sent', async () => {
    const destination = { type: 'link', value: 'https://example.com/nulls' };
    const unset = [
      'slug',
      'domain',
      'domainId',
      'folderId',
      'tags',
      'isActive',
      'cloaking',
      'forwardQuery',
      'title',
      'rules',
    ];
    const nulls = Object.fromEntries(unset.map((name) => [name, null]));
    const plain = (await api.call('POST', '/short-link', { destination })).body;
    const single = await api.call('POST', '/short-link', { destination, ...nulls });
    expect(single.status).toBe(201);
    const rows = await api.call('POST', '/short-link/bulk', { links: [{ destination, ...nulls }] });
    const upserted = await api.call('PUT', '/short-link/upsert', { destination, ...nulls, externalId: 'nulls' });
    for (const made of [single.body, rows.body.results[0].data, upserted.body]) {
      expect(made).toMatchObject({
        domainId: plain.domainId,
        folderId: plain.folderId,
        tags: [],
        isActive: true,
        cloaking: false,
        forwardQuery: false,
        title: null,
        rules: [],
      });
      expect(made.slug).toHaveLength(plain.slug.length);
    }
  });

  it('an upsert with null leaves fields that cannot be null as they are', async () => {
    const destination = { type: 'link', value: 'https://example.com/upsert' };
    const name = { externalId: 'kept' };
    await api.call('PUT', '/short-link/upsert', { destination, ...name, isActive: false, tags: ['kept'] });
    const again = await api.call('PUT', '/short-link/upsert', { destination, ...name, isActive: null, tags: null });
    expect(again.body).toMatchObject({ isActive: false, tags: [{ name: 'kept' }] });
  });
});

it('lists that a PATCH needs, and clients in Java send as null, count as not sent', async () => {
  const destination = { type: 'link', value: 'https://example.com/listed' };
  const { id } = (await api.call('POST', '/short-link', { destination })).body;
  const rows = { links: [{ id, title: 'Row' }], ids: null };
  expect((await api.call('PATCH', '/short-link/bulk', rows)).body.results).toMatchObject([{ status: 200 }]);
  const change = { links: null, ids: [id], change: { title: 'Change' } };
  expect((await api.call('PATCH', '/short-link/bulk', change)).body.results).toMatchObject([{ status: 200 }]);
  expect((await api.call('PATCH', '/short-link/bulk', { links: null, ids: null })).status).toBe(400);
  const hook = { url: 'https://hooks.example.com/nulls', events: ['link.created'] };
  const { body: webhook } = await api.call('POST', '/webhook', hook);
  const named = await api.call('PATCH', `/webhook/${webhook.id}`, { events: null, name: 'Java' });
  expect(named.body).toMatchObject({ events: ['link.created'], name: 'Java' });
});
