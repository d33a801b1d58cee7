import { networkInterfaces } from 'node:os';
import { beforeAll, expect, test } from 'vitest';
import { createOwnAddresses } from '#adapters/machine/own-addresses.ts';
import { ensurePlatformDomain } from '#db/domains/platform.ts';
import { createSite } from '#core/links/site.ts';
import { createTestEdge, useTestEdge, visitEdge } from '#test/support/edge.ts';

// While the host of EDGE_URL begins with localhost, addresses of this machine count as it (4.1).

const site = createSite({ scheme: 'http', platformDomain: 'localhost:3001', isOwnAddress: createOwnAddresses() });
const edge = useTestEdge({ site });
beforeAll(async () => {
  await ensurePlatformDomain(edge.db, 'localhost');
  const { rows } = await edge.db.query<{ id: string }>(`select id from domains where domain = 'localhost'`);
  await edge.link({ slug: 'hello', domainId: rows[0]!.id });
});

const statusAt = async (host: string): Promise<number> => (await edge.visit('/hello', { host })).status;

test('loopback addresses are served as the platform domain, with any port', async () => {
  const port = new URL(edge.address).port;
  for (const host of ['localhost:3001', `127.0.0.1:${port}`, '127.0.0.1', `[::1]:${port}`, '[::1]', '127.0.0.53'])
    expect([host, await statusAt(host)]).toEqual([host, 302]);
  // As a newcomer's curl has it.
  expect((await visitEdge(edge.address, '/hello')).status).toBe(302);
  expect((await edge.visit('http://127.0.0.1/hello', { host: 'any' })).status).toBe(302);
});

test('addresses of this machine’s interfaces are served as the platform domain, other addresses are not', async () => {
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  for (const { address, family } of own) {
    const host = family === 'IPv6' ? `[${address}]` : address;
    expect([host, await statusAt(host)]).toEqual([host, 302]);
  }
  for (const host of ['198.51.100.1', '[2001:db8::1]', '127.0.0.1.example', 'evil.example'])
    expect([host, await statusAt(host)]).toEqual([host, 404]);
  expect(await statusAt('127.0.0.1:port')).toBe(400);
});

test('an edge with a public platform domain serves no address of its machine', async () => {
  const isOwnAddress = createOwnAddresses();
  const publicSite = createSite({ scheme: 'https', platformDomain: 'go.example', isOwnAddress });
  await using other = await createTestEdge({ site: publicSite });
  await ensurePlatformDomain(other.db, 'go.example');
  expect((await other.visit('/', { host: 'go.example' })).status).toBe(200);
  expect((await other.visit('/', { host: '127.0.0.1' })).status).toBe(404);
});
