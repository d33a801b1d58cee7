// @module-tag process

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createWebhookSecret } from '#core/webhooks/signing.ts';
import { root } from '#scripts/lib/paths.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { prepareSdk } from '#test/support/sdk.ts';

const api = useOwnTestApi();
const folder = join(root, 'sdk/typescript');

it('the programs of the README compile strictly and run', { tags: 'nightly' }, async () => {
  await prepareSdk('build');
  const address = await api.app.listen({ host: '127.0.0.1', port: 0 });
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const programs = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, program = '']) => program);
  expect(programs.length).toBeGreaterThan(5);
  // Inside the checkout, where @types/node is found.
  mkdirSync(join(root, 'dist'), { recursive: true });
  const project = mkdtempSync(join(root, 'dist', 'sdk-readme-'));
  try {
    mkdirSync(join(project, 'node_modules/@waymark'), { recursive: true });
    symlinkSync(folder, join(project, 'node_modules/@waymark/sdk'));
    writeFileSync(join(project, 'package.json'), '{"type":"module"}');
    const names = programs.map((program, index) => {
      writeFileSync(join(project, `program-${index}.ts`), program);
      return `program-${index}.ts`;
    });
    const strict = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
    const run = promisify(execFile);
    await run(join(folder, 'node_modules/.bin/tsc'), [...strict, ...names], { cwd: project });
    const env = { API: address, KEY: api.organization.key, SECRET: createWebhookSecret() };
    // Twice: a program whose call is replayed works as well.
    for (const name of [...names, ...names])
      await run(process.execPath, ['--disable-warning=ExperimentalWarning', name], { cwd: project, env });
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
});
