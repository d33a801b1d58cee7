// @module-tag process

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { typeFlags } from '#scripts/lib/node-flags.ts';
import { root } from '#scripts/lib/paths.ts';

/** Starts a process that works beside this one, and then does `work`. */
function start(work: string) {
  const idle = join(root, 'scripts/lib/idle.ts');
  const text = `const { workBesideParent } = await import(${JSON.stringify(idle)}); workBesideParent(); ${work}`;
  return spawn(process.execPath, [...typeFlags(), '--input-type=module', '--eval', text], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

test('a process beside its parent ends when its work is done', async () => {
  expect(await once(start(''), 'exit')).toEqual([0, null]);
});

test('a process beside its parent ends when the parent is gone', async () => {
  const child = start(`process.send('working'); setInterval(() => undefined, 1_000);`);
  await once(child, 'message');
  child.disconnect();
  expect(await once(child, 'exit')).toEqual([null, 'SIGTERM']);
});
