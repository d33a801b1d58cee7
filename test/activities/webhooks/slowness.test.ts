import { EventEmitter } from 'node:events';
import { activityEnvironment } from '#test/support/activities.ts';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createWebhookActivities, type PumpResult } from '#activities/webhooks/webhooks.ts';
import { createGuardedHttp } from '#adapters/http/guarded-http.ts';
import { createSealing } from '#adapters/sealing.ts';
import { failingFrom, maxOpen } from '#core/webhooks/standing.ts';
import { fanOut } from '#db/webhooks/fan-out.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { eventually } from '#test/support/eventually.ts';
import { createTestMailer } from '#test/support/mailer.ts';
import { createOwnedOrganization } from '#test/support/people.ts';
import { createReceivers } from '#test/support/receivers.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { silent } from '#test/support/test-worker.ts';
import { emitEvents, insertTestWebhook, refuse, startEndpoint } from '#test/support/webhook-stack.ts';

const db = useTestDatabase();
const events = 40;

test(
  'an endpoint that hangs and one that fails delay no other endpoint, even on the same host and port',
  { tags: 'slow' },
  async () => {
    const receivers = createReceivers();
    const http = createGuardedHttp({ allowedCidrs: ['127.0.0.0/8'], caFile: receivers.caFile, timeoutMs: 600_000 });
    const sealing = createSealing(['a secret key of at least 32 characters']);
    const gapsMs = Array.from({ length: 5 }, () => 600_000);
    const { pump } = createWebhookActivities({
      em: emOf(db),
      http,
      sealing,
      mailer: createTestMailer(),
      gapsMs,
      probeDelaysMs: gapsMs,
      signatureHeader: 'X-Service-Signature',
      draining: new AbortController().signal,
      log: silent,
      notifications: new EventEmitter(),
      lingerMs: 0,
    });
    const { id: organizationId } = await createOwnedOrganization(db);
    const endpoint = await startEndpoint(receivers);
    const add = async (path: string): Promise<string> =>
      (await insertTestWebhook(db, sealing, { url: `${endpoint.url}/${path}`, organizationId })).id;
    const start = (webhookId: string): Promise<PumpResult> =>
      activityEnvironment({ activityId: webhookId }).run(pump, { webhookId });
    const hanging: ServerResponse[] = [];
    let isHanging = true;
    endpoint.answer = (response, { path }) => {
      if (path.endsWith('/fail')) refuse(500)(response);
      else if (path.endsWith('/hang') && isHanging) hanging.push(response);
      else response.writeHead(204).end();
    };
    const well = [await add('well/1'), await add('well/2')];
    const [hang, fail] = [await add('hang'), await add('fail')];
    await emitEvents(db, events, organizationId);
    await emOf(db).transactional((em) => fanOut(em, 2 * events));

    const hung = start(hang);
    await eventually(() => hanging.length === maxOpen);
    const others = await Promise.all([start(fail), ...well.map(start)]);
    expect(others.map(({ delivered, failed }) => [delivered, failed])).toEqual([
      [0, failingFrom],
      [events, 0],
      [events, 0],
    ]);
    expect(hanging).toHaveLength(maxOpen);

    isHanging = false;
    for (const response of hanging) response.writeHead(204).end();
    expect(await hung).toMatchObject({ delivered: events, failed: 0 });
    await http.close();
    await receivers.dispose();
  },
);
