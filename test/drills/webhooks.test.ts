// @module-tag process

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRandom } from '#bench/soak/random.ts';
import { components, startSoakStack, type SoakStack } from '#bench/soak/stack.ts';
import { causedTypes, webhookDrill, webhooksPerRound } from '#bench/soak/webhooks/drill.ts';
import { type SoakReceiver, startSoakReceiver } from '#bench/soak/webhooks/receiver.ts';
import { freePorts } from '#test/support/free-ports.ts';

// One round of each of what `npm run soak` does twenty times, on a whole Waymark of its own.

const firstSeed = 60_701;
// Of the load until the kill, and some after it: the load goes on until both are over.
const events = 1_000;
const folder = mkdtempSync(join(tmpdir(), 'waymark-webhook-drills-'));
let receiver: SoakReceiver;
let stack: SoakStack;

beforeAll(async () => {
  receiver = await startSoakReceiver(createRandom(firstSeed));
  stack = await startSoakStack({ folder, ports: await freePorts(5), env: receiver.env });
}, 120_000);
afterAll(async () => {
  await stack?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe('killed by SIGKILL while events are on their way, every webhook gets every one', () => {
  test.each(components.map((component, index) => ({ component, seed: firstSeed + index })))(
    '$component, seed $seed',
    { timeout: 180_000 },
    async ({ component, seed }) => {
      const result = await webhookDrill(stack, receiver, component, { seed, events });
      expect(result).toMatchObject({
        events: { unwritten: 0, doubled: 0, types: causedTypes },
        received: { lost: 0, altered: 0 },
        settledSeconds: expect.any(Number) as number,
      });
      expect(result.done).toBeGreaterThanOrEqual(events);
      expect(result.received.taken).toBeGreaterThanOrEqual(webhooksPerRound * result.events.written);
    },
  );
});
