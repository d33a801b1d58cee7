// @module-tag process

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { root } from '#scripts/lib/paths.ts';
import { goSdkFolder, runGo, skipWithoutGo } from '#test/support/go.ts';

it('the generated files of the Go SDK are those of the present /doc', async () => {
  const check = promisify(execFile)(process.execPath, [join(root, 'scripts/sdk/go.ts'), '--check']);
  await expect(check).resolves.toMatchObject({ stderr: '' });
});

it('the Go SDK is formatted and vetted, and its own tests pass', { tags: 'nightly' }, async (context) => {
  await skipWithoutGo(context);
  expect(await runGo('gofmt', ['-l', '.'], goSdkFolder)).toBe('');
  await runGo('go', ['vet', './...'], goSdkFolder);
  expect(await runGo('go', ['test', '-count=1', './...'], goSdkFolder)).toMatch(/^ok /m);
});
