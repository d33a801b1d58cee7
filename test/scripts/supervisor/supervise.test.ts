// @module-tag process

import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { processMark } from '#scripts/lib/lock.mjs';
import type { Exit } from '#scripts/lib/running.ts';
import { nodeChild } from '#scripts/supervisor/processes.ts';
import { type RestartPolicy, supervise } from '#scripts/supervisor/supervise.ts';

const script = fileURLToPath(new URL('../fixtures/child.ts', import.meta.url));
const atOnce: RestartPolicy = { died: () => ({ pauseMs: 0 }) };

function start(mode: string, policy: RestartPolicy = atOnce, stopWaitMs = 10_000) {
  const lines: string[] = [];
  const deaths: Exit[] = [];
  const onReturn = vi.fn();
  const gaveUp = Promise.withResolvers<Exit>();
  const env = { ...process.env, CHILD_MODE: mode };
  const service = nodeChild({ name: 'child', script, env, stopWaitMs, onLine: (line) => lines.push(line) });
  const onDeath = (exit: Exit): void => void deaths.push(exit);
  const supervised = supervise(service, { onDeath, onReturn, onGiveUp: gaveUp.resolve, policy });
  return { supervised, lines, deaths, onReturn, gaveUp: gaveUp.promise };
}

test('a child is ready when it says so, and a stop ends it', async () => {
  const { supervised, lines } = start('serve');
  await supervised.ready;
  const pid = supervised.pid!;
  expect(processMark(pid)).toBeDefined();
  await supervised.stop();
  expect(processMark(pid)).toBeUndefined();
  await vi.waitFor(() => expect(lines).toEqual([`child ${pid} in mode serve`, 'without a line end']));
});

test('a killed child is started again', async () => {
  const { supervised, deaths, onReturn } = start('serve');
  await supervised.ready;
  const first = supervised.pid!;
  process.kill(first, 'SIGKILL');
  await vi.waitFor(() => expect(onReturn).toHaveBeenCalledOnce());
  expect(deaths).toEqual([{ code: null, signal: 'SIGKILL' }]);
  expect(supervised.pid).not.toBe(first);
  await supervised.stop();
  expect(deaths).toHaveLength(1);
});

test('a child that dies too often is given up', async () => {
  let deaths = 0;
  const thrice: RestartPolicy = { died: () => (++deaths === 3 ? { giveUp: true } : { pauseMs: 0 }) };
  const { supervised, lines, gaveUp } = start('crash', thrice);
  expect(await gaveUp).toEqual({ code: 3, signal: null });
  expect(lines.filter((line) => line.startsWith('child'))).toHaveLength(3);
  await supervised.stop();
});

test('a start that fails counts as a death', async () => {
  const gaveUp = Promise.withResolvers<Exit>();
  const service = { name: 'never', start: () => Promise.reject(new Error('no way')) };
  const policy: RestartPolicy = { died: () => ({ giveUp: true }) };
  supervise(service, { onDeath: () => {}, onReturn: () => {}, onGiveUp: gaveUp.resolve, policy });
  expect((await gaveUp.promise).error?.message).toBe('no way');
});

test('a child that ignores SIGTERM is killed after its deadline', async () => {
  const { supervised } = start('deaf', atOnce, 200);
  await supervised.ready;
  const pid = supervised.pid!;
  await supervised.stop();
  expect(processMark(pid)).toBeUndefined();
});

test('a second stop may shorten the deadline of the first', async () => {
  const { supervised } = start('deaf', atOnce, 600_000);
  await supervised.ready;
  const patient = supervised.stop();
  await supervised.stop({ hurry: true });
  await patient;
  expect(supervised.pid).toBeUndefined();
});

test('a stop during a pause ends it', async () => {
  const { supervised, deaths } = start('crash', { died: () => ({ pauseMs: 600_000 }) });
  await vi.waitFor(() => expect(deaths).toHaveLength(1));
  await supervised.stop();
});
