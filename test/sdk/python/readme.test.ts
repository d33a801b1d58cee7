// @module-tag process

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, TestRunner } from 'vitest';
import { createWebhookSecret } from '#core/webhooks/signing.ts';
import { root } from '#scripts/lib/paths.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { findPythonTools, installPythonSdk } from '#test/support/python-sdk.ts';

const tools = TestRunner.matchesTags(['nightly', 'process']) ? findPythonTools() : undefined;
const run = promisify(execFile);

describe.skipIf(tools === undefined)('the SDK for Python', { tags: 'nightly' }, () => {
  const api = useOwnTestApi();

  it('the programs of the README are typed strictly and run, and so is the package', async () => {
    using sdk = await installPythonSdk(tools!);
    const address = await api.app.listen({ host: '127.0.0.1', port: 0 });
    const readme = readFileSync(join(root, 'sdk/python/README.md'), 'utf8');
    const programs = [...readme.matchAll(/```python\n([\s\S]*?)```/g)].map(([, program = '']) => program);
    expect(programs.length).toBeGreaterThan(5);
    const names = programs.map((program, index) => {
      writeFileSync(join(sdk.folder, `program_${index}.py`), program);
      return `program_${index}.py`;
    });
    const mypy = ['-m', 'mypy', '--strict', '--no-error-summary'];
    const wrong = join(sdk.folder, 'wrong.py');
    writeFileSync(wrong, 'import waymark\nwaymark.Waymark(base_url="a").links.create(destnation={})\n');
    await expect(run(sdk.python, [...mypy, wrong])).rejects.toMatchObject({
      stdout: expect.stringContaining('destnation'),
    });
    await run(sdk.python, [...mypy, ...names], { cwd: sdk.folder });
    for (const version of ['3.10', '3.14'])
      await run(sdk.python, [...mypy, '--python-version', version, 'src'], { cwd: join(root, 'sdk/python') });
    const env = { API: address, KEY: api.organization.key, SECRET: createWebhookSecret() };
    // Twice: a program whose call is replayed works as well.
    for (const name of [...names, ...names]) await run(sdk.python, [name], { cwd: sdk.folder, env });
  });
});
