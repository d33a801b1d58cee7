// @module-tag process

import { expect, it } from 'vitest';
import { goSdkFolder, runGo, skipWithoutGo } from '#test/support/go.ts';

it('the Go SDK is formatted and vetted, and its own tests pass', { tags: 'nightly' }, async (context) => {
  await skipWithoutGo(context);
  expect(await runGo('gofmt', ['-l', '.'], goSdkFolder)).toBe('');
  await runGo('go', ['vet', './...'], goSdkFolder);
  expect(await runGo('go', ['test', '-count=1', './...'], goSdkFolder)).toMatch(/^ok /m);
});
