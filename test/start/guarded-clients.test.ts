import { describe, expect, it } from 'vitest';
import type { GuardedHttpError } from '#adapters/http/guarded-http.ts';
import { createGuardedClient } from '#start/guarded-clients.ts';
import { useFixture } from '#test/support/fixture.ts';
import { createReceivers } from '#test/support/receivers.ts';

const receivers = useFixture(async () => {
  const made = createReceivers();
  const port = await made.https((_request, response) => void response.end('private'));
  const url = `https://127.0.0.1:${port}/`;
  return { caFile: made.caFile, url, [Symbol.asyncDispose]: () => made.dispose() };
});

type Name = Parameters<typeof createGuardedClient>[0];
type Opened = { WEBHOOK_ALLOWED_CIDRS?: string[]; OIDC_ALLOWED_CIDRS?: string[] };

/** Whether a client reaches a server on loopback. */
async function reaches(name: Name, opened: Opened): Promise<boolean> {
  const settings = { WEBHOOK_ALLOWED_CIDRS: [], OIDC_ALLOWED_CIDRS: [], DNS_SERVERS: [], ...opened };
  const http = createGuardedClient(name, { ...settings, WEBHOOK_CA_FILE: receivers.caFile });
  try {
    return (await http.request({ url: receivers.url, method: 'GET' })).status === 200;
  } catch (error) {
    expect((error as GuardedHttpError).kind).toBe('refused-address');
    return false;
  } finally {
    await http.close();
  }
}

describe('the private addresses that each client of the network may call', () => {
  const names: Name[] = ['webhooks', 'organizationOidc', 'previews', 'frames', 'operator'];
  const everything = ['127.0.0.0/8', '::/0'];

  it.each([
    { opened: {}, reaching: ['operator'] },
    { opened: { WEBHOOK_ALLOWED_CIDRS: everything }, reaching: ['webhooks', 'operator'] },
    { opened: { OIDC_ALLOWED_CIDRS: everything }, reaching: ['organizationOidc', 'operator'] },
  ])('with $opened loopback is reached by $reaching alone', async ({ opened, reaching }) => {
    const reached = await Promise.all(names.map((name) => reaches(name, opened)));
    expect(names.filter((_name, index) => reached[index])).toEqual(reaching);
  });
});
