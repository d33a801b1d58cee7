import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { isTemporalUnreachable, openClient, registerSearchAttributes } from '#adapters/temporal/client.ts';
import { createTemporal } from '#adapters/temporal/temporal.ts';
import { eventually } from '#test/support/eventually.ts';
import { freePorts } from '#test/support/free-ports.ts';
import { temporalForTest } from '#test/support/stack.ts';
import { silent } from '#test/support/test-worker.ts';

describe('the connection to Temporal', () => {
  test('the connection is watched from the start, and search attributes are registered any number of times (10.3)', async () => {
    const { address, namespace } = temporalForTest();
    const temporal = createTemporal({ address, namespace, log: silent });
    await temporal.start();
    expect(temporal.isReachable()).toBe(true);
    const client = await temporal.client();
    for (let time = 0; time < 2; time += 1) await registerSearchAttributes(client, namespace, silent);
    const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace });
    expect(customAttributes).toMatchObject({ organizationId: 7, domainId: 7, linkId: 7, webhookId: 2, state: 2 });
    await temporal.close();
  });

  test('the connection starts without a service, and notices a missing or hanging one', async () => {
    const [port] = await freePorts(1);
    const temporal = createTemporal({
      address: `127.0.0.1:${port}`,
      namespace: 'default',
      log: silent,
      checkEveryMs: 50,
    });
    await temporal.start();
    expect(temporal.isReachable()).toBe(false);
    const sockets: (() => void)[] = [];
    const server = createServer((socket) => void sockets.push(() => socket.destroy())).listen(port, '127.0.0.1');
    await eventually(async () => sockets.length > 0);
    expect(temporal.isReachable()).toBe(false);
    await temporal.close();
    for (const destroy of sockets) destroy();
    server.close();
  });

  test('an unreachable service and a wrong request are different errors', async () => {
    const [port] = await freePorts(1);
    const away = openClient({ address: `127.0.0.1:${port}`, namespace: 'default' });
    const start = (client: typeof away, searchAttribute: string): Promise<unknown> =>
      client
        .withDeadline(Date.now() + 1_000, () =>
          client.workflow.start('none', {
            workflowId: 'none',
            taskQueue: 'none',
            typedSearchAttributes: [{ key: { name: searchAttribute, type: 'KEYWORD' }, value: 'x' }],
          }),
        )
        .catch((error: unknown) => error);
    expect(isTemporalUnreachable(await start(away, 'state'))).toBe(true);
    await away.connection.close();

    const { address } = temporalForTest();
    const here = openClient({ address, namespace: 'default' });
    expect(isTemporalUnreachable(await start(here, 'noSuchAttribute'))).toBe(false);
    await here.connection.close();
    const elsewhere = openClient({ address, namespace: 'no-such-namespace' });
    expect(isTemporalUnreachable(await start(elsewhere, 'state'))).toBe(true);
    await elsewhere.connection.close();
    expect(isTemporalUnreachable(new Error('a mistake of our own'))).toBe(false);
  });
});
