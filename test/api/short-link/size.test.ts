import { describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';

const api = useTestApi();

const destination = { type: 'link', value: 'https://example.com/' };
const rules = (count: number, bytes = 8_000) =>
  Array.from({ length: count }, (_, priority) => ({
    priority,
    countries: ['DE'],
    destination: { type: 'link', value: `https://example.com/${'x'.repeat(bytes)}` },
  }));
const tooLarge = (path: string) => [
  { path, message: expect.stringMatching(/^makes the link too large: \d+ bytes .* 131072 at most$/) },
];

describe('a link with all that belongs to it (3.1)', () => {
  it('a row of a bulk call has at most 128 KiB, and a larger one stops no other', async () => {
    const links = [
      { destination, rules: rules(15) },
      { destination, rules: rules(17) },
      {
        destination,
        rules: rules(5).map((rule) => ({
          ...rule,
          destination: { ...rule.destination, value: `https://example.com/${'漢'.repeat(8_000)}` },
        })),
      },
      { destination },
    ];
    links.push({
      destination,
      rules: rules(6).map((rule) => ({
        ...rule,
        destination: { ...rule.destination, value: `https://example.com/${'漢'.repeat(8_000)}` },
      })),
    });
    const { status, body } = await api.call('POST', '/short-link/bulk', { links });
    expect(status).toBe(201);
    expect(body.results.map((row: { status: number }) => row.status)).toEqual([201, 400, 201, 201, 400]);
    expect(body.results[1].error.code).toBe('VALIDATION_ERROR');
    for (const index of [1, 4]) expect(body.results[index].error.issues).toEqual(tooLarge('rules'));
  });

  it('a link of 128 KiB is sent back whole, by every call that takes one', async () => {
    const body = { destination, externalId: 'whole', slug: 'whole', rules: rules(15) };
    const made = await api.call('POST', '/short-link', body);
    expect(made.status).toBe(201);
    expect((await api.call('PATCH', `/short-link/${made.body.id}`, made.body)).status).toBe(200);
    expect((await api.call('PUT', '/short-link/upsert', made.body)).status).toBe(200);
    const checked = await api.call('POST', '/short-link/check', { id: made.body.id, link: made.body });
    expect(checked.body.isAccepted).toBe(true);
  });

  it('a link has at most 128 KiB after any kind of update', async () => {
    const made = await api.call('POST', '/short-link/bulk', {
      links: [{ destination, externalId: 'heavy', slug: 'heavy', rules: rules(15) }],
    });
    const { id } = made.body.results[0].data;
    const deep = {
      ...destination,
      iosDeepLink: `app://${'x'.repeat(8_000)}`,
      androidDeepLink: `app://${'x'.repeat(8_000)}`,
    };
    const patched = await api.call('PATCH', `/short-link/${id}`, { destination: deep });
    expect([patched.status, patched.body.issues]).toEqual([400, tooLarge('rules')]);
    const upserted = await api.call('PUT', '/short-link/upsert', { externalId: 'heavy', destination: deep });
    expect([upserted.status, upserted.body.issues]).toEqual([400, tooLarge('rules')]);
    const rows = await api.call('PATCH', '/short-link/bulk', {
      links: [
        { id, destination: deep },
        { id, title: 'Kept' },
      ],
    });
    expect(rows.body.results.map((row: { status: number }) => row.status)).toEqual([400, 200]);
    expect((await api.call('PATCH', `/short-link/${id}`, { destination: deep, rules: [] })).status).toBe(200);
  });
});
