import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../config.ts';
import { StartError } from '../../scripts/embedded/errors.ts';
import { createStack } from '../../scripts/supervisor/stack.ts';

test('a data folder that cannot be one is named, without a stack', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-stack-'));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const stack = createStack(loadConfig({ WAYMARK_DATA_DIR: file }), () => undefined);
  const error: unknown = await stack.start().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StartError);
  expect((error as StartError).message).toMatch(`WAYMARK_DATA_DIR: ${file} cannot be used: EEXIST`);
  await stack.stop();
  rmSync(folder, { recursive: true });
});
