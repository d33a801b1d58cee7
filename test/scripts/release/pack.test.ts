// @module-tag process

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { root } from '#scripts/lib/paths.ts';
import { requirePythonTools } from '#test/support/python-sdk.ts';

const run = promisify(execFile);

it(
  'pack-packages packs npm packages, the Go module, the browser extension and the wheel, with right checksums',
  { tags: 'nightly' },
  async (context) => {
    const tools = requirePythonTools(context);
    const out = mkdtempSync(join(tmpdir(), 'waymark-packages-'));
    try {
      const env = { ...process.env, PIP_NO_INDEX: '1', PIP_FIND_LINKS: tools.packages };
      const { stdout } = await run(process.execPath, [join(root, 'scripts/release/pack.ts'), '--out', out], { env });
      const names = stdout
        .trim()
        .split('\n')
        .map((path) => basename(path));
      expect(names.map((name) => name.replace(/-\d+\.\d+\.\d+/, ''))).toEqual([
        'waymark-sdk.tgz',
        'waymark-mcp.tgz',
        'waymark.tgz',
        'waymark-go.tgz',
        'waymark-browser-extension.tgz',
        'waymark_sdk-py3-none-any.whl',
      ]);
      expect(readdirSync(out).toSorted()).toEqual(['SHA256SUMS', ...names].toSorted());
      await expect(run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out })).resolves.toBeDefined();
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  },
);
