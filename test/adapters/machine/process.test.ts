// @module-tag process

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, expect, it } from 'vitest';
import { root } from '#scripts/lib/paths.ts';

it('a process that is ready after its parent has gone reports to nobody, and does not fail', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-process-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, 'ready.ts');
  writeFileSync(
    program,
    `import { reportReady } from '${join(root, 'adapters/machine/process.ts')}';
     process.disconnect();
     reportReady();
     setImmediate(() => process.exit(7));`,
  );
  const child = fork(program, {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let problem = '';
  child.stderr!.on('data', (chunk: Buffer) => (problem += chunk.toString()));
  const [code] = await once(child, 'exit');
  expect({ code, problem }).toEqual({ code: 7, problem: '' });
});
