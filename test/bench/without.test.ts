import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, parse } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '#scripts/lib/paths.ts';

test('the edge loads with all the pieces switched off that benchmarks switch off', async () => {
  const pieces = readdirSync(join(root, 'bench', 'without')).map((file) => parse(file).name);
  expect(pieces.length).toBeGreaterThan(0);
  const load = `await import('#edge/server.ts'); console.log('loaded')`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', './bench/without.ts', '--input-type=module', '--eval', load],
    { cwd: root, env: { ...process.env, WITHOUT: pieces.join() } },
  );
  expect(stdout).toBe('loaded\n');
});
