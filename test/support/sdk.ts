import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { root } from '#scripts/lib/paths.ts';

/**
 * Generates the SDK's types and operations, or builds the package, where they are out of date: to know it takes some seconds, so a
 * run looks once. In a process of its own: schemas get their names in the API's description once in a process.
 */
export async function prepareSdk(how: 'generate' | 'build'): Promise<void> {
  const done = join(inject('stack').folder, `sdk-${how}`);
  if (existsSync(done)) return;
  const script = join(root, 'scripts/build/sdk.ts');
  await promisify(execFile)(process.execPath, [script, ...(how === 'generate' ? ['--generate'] : [])]);
  writeFileSync(done, '');
}
