// @module-tag process

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '#scripts/lib/paths.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { createDomain } from '#test/support/factories.ts';

const api = useOwnTestApi();
const run = promisify(execFile);
const parent = mkdtempSync(join(tmpdir(), 'waymark-cli-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

describe('the package of the command line', { tags: 'nightly' }, () => {
  const project = join(parent, 'project');
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    const packed = await run(process.execPath, [
      join(root, 'scripts/release/pack.ts'),
      '--out',
      parent,
      '--without-python',
    ]);
    const tarballs = packed.stdout.split('\n').filter((path) => /\/waymark-(?:sdk-|mcp-|)\d[^/]*\.tgz$/.test(path));
    mkdirSync(project);
    const install = ['install', '--no-audit', '--no-fund', '--offline', '--prefix', project];
    await run('npm', [...install, ...tarballs]);
    const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
    const path = `${join(project, 'node_modules/.bin')}:${process.env.PATH}`;
    env = { PATH: path, HOME: parent, WAYMARK_URL: url, WAYMARK_API_KEY: api.organization.key };
  });

  it('the commands of its README run, one after the other', async () => {
    await createDomain(api.db, api.organization.id, { domain: 'spring.example', isPrimary: true });
    const readme = readFileSync(join(root, 'cli/README.md'), 'utf8');
    const [block] = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text);
    const lines = block.trim().split('\n');
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) {
      const ours = line.replace('https://waymark.example.com', env.WAYMARK_URL!);
      await run('bash', ['-c', line.includes(' login ') ? `echo "$WAYMARK_API_KEY" | ${ours}` : ours], {
        env,
        cwd: parent,
      });
    }
    expect(readFileSync(join(parent, 'spring.png')).subarray(1, 4).toString()).toBe('PNG');
  });

  it('ends with its exit code, and without a word where its reader is gone', async () => {
    const failing = await run('waymark', ['link', 'get', 'spring.example/nothing'], { env }).catch(
      (error: object) => error,
    );
    expect(failing).toMatchObject({ code: 3, stdout: '' });
    const { stderr } = await run('bash', ['-c', 'waymark --help | head -1'], { env });
    expect(stderr).toBe('');
  });

  it.each([
    ['link cr', 'create'],
    ['link update --no-e', '--no-expires'],
    ['link update spring.example/spring --no-m', '--no-max-clicks'],
    ['stats --by x --tim', '--timezone'],
  ])('its script for bash completes “%s”', async (words, completed) => {
    const script = `source <(waymark completion bash); COMP_WORDS=(waymark ${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _waymark; echo "\${COMPREPLY[@]}"`;
    const { stdout } = await run('bash', ['-c', script], { env });
    expect(stdout).toBe(`${completed}\n`);
  });
});
