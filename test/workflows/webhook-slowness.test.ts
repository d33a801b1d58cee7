// @module-tag slow

import { afterAll, beforeAll, expect, test } from 'vitest';
import { maxOpen } from '#core/webhooks/standing.ts';
import { failingFrom } from '#core/webhooks/standing.ts';
import { createOwnedOrganization } from '#test/support/people.ts';
import { refuse, startWebhookStack, type WebhookStack } from '#test/support/webhook-stack.ts';
import { createWebhookViews, readDeliveries, type WebhookViews } from '#test/support/webhook-views.ts';

const wellEndpoints = 18;
const events = 40;

let stack: WebhookStack;
let views: WebhookViews;
beforeAll(async () => {
  // Longer than the test: failed deliveries are not retried while it runs.
  stack = await startWebhookStack({ gapsMs: [60_000, 60_000, 60_000, 60_000, 60_000] });
  views = createWebhookViews(stack);
});
afterAll(() => stack[Symbol.asyncDispose]());

test(
  'an endpoint that hangs and one that fails delay no other endpoint, even on the same host and port',
  { timeout: 90_000 },
  async () => {
    const endpoint = await stack.endpoint();
    const { id: organizationId } = await createOwnedOrganization(stack.db);
    const add = (path: string) => stack.webhook(`${endpoint.url}/${path}`, { organizationId });
    let hanging = 0;
    let most = 0;
    endpoint.answer = (response, { path }) => {
      if (path.endsWith('/hang')) {
        most = Math.max(most, (hanging += 1));
        response.on('close', () => (hanging -= 1));
      } else if (path.endsWith('/fail')) refuse(500)(response);
      else response.writeHead(204).end();
    };
    const well = await Promise.all(Array.from({ length: wellEndpoints }, (_, index) => add(`well/${index}`)));

    const round = async (): Promise<number> => {
      const before = (await readDeliveries(stack.db, well[0]!.id)).length;
      const startedAt = performance.now();
      const ids = await stack.emit(events, organizationId);
      for (const { id } of well) {
        const rows = await views.settled(id, before + ids.length);
        expect(rows.every(({ status, attempts }) => status === 'delivered' && attempts === 1)).toBe(true);
      }
      return performance.now() - startedAt;
    };
    // The first round is not measured: it starts workflows and connections.
    await round();
    const aloneMs = await round();
    const [hang, fail] = [await add('hang'), await add('fail')];
    const besideMs = await round();
    // The first of a slow machine's rounds may be the faster one; waiting for a deadline would take half a minute.
    expect(besideMs).toBeLessThan(3 * aloneMs + 3_000);

    // Neither is done by then: one has ten requests under way, the other its ten failures.
    await views.inState(fail.id, 'failing');
    expect([hanging, most]).toEqual([maxOpen, maxOpen]);
    const failed = await readDeliveries(stack.db, fail.id);
    expect(failed.filter(({ attempts }) => attempts > 0)).toHaveLength(failingFrom);
    const hung = await readDeliveries(stack.db, hang.id);
    expect(hung.map(({ status, attempts }) => [status, attempts])).toEqual(hung.map(() => ['pending', 0]));
  },
);
