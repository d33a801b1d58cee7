// @module-tag process

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import { root } from '#scripts/lib/paths.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { hasCommand } from '#test/support/commands.ts';

interface Action {
  inputs: Record<string, { default?: string }>;
  outputs: Record<string, { value: string }>;
  runs: { steps: [{ id: string; env: Record<string, string>; run: string }] };
}

const action = parse(readFileSync(join(root, 'integrations/github-action/action.yml'), 'utf8')) as Action;
const [step] = action.runs.steps;

describe.skipIf(!hasCommand('jq') || !hasCommand('curl'))('the action for GitHub', () => {
  const api = useOwnTestApi();
  let host: string;
  beforeAll(async () => {
    host = await api.app.listen({ port: 0, host: '127.0.0.1' });
  });

  /** Runs its step as a runner does. @returns its output, or the end of its log. */
  async function run(inputs: Record<string, string>, runId: string): Promise<string> {
    const env = Object.entries(step.env).map(([name, expression]) => {
      const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(expression)![1]!;
      return [name, inputs[input] ?? action.inputs[input]!.default ?? ''];
    });
    const output = join(mkdtempSync(join(inject('stack').folder, 'action-')), 'output');
    writeFileSync(output, '');
    const more = { PATH: process.env.PATH, GITHUB_OUTPUT: output, GITHUB_RUN_ID: runId };
    const failed = await promisify(execFile)('bash', ['-c', step.run], { env: { ...Object.fromEntries(env), ...more } })
      .then(() => undefined)
      .catch((error: { stdout: string }) => error.stdout);
    return failed ?? readFileSync(output, 'utf8');
  }

  const inputs = () => ({ host, 'api-key': api.organization.key, destination: 'https://example.com/build/1' });

  it('makes a link, and the same one when the step is run again', async () => {
    const first = await run(inputs(), '1');
    expect(first).toMatch(/^short-url=http\S+\n$/);
    expect(await run(inputs(), '1')).toBe(first);
    expect(await run(inputs(), '2')).not.toBe(first);
    expect(action.outputs['short-url']!.value).toBe(`\${{ steps.${step.id}.outputs.short-url }}`);
  });

  it('leads a link that has the slug to the new destination', async () => {
    const latest = { ...inputs(), slug: 'latest-build', title: 'The latest "build"' };
    const first = await run(latest, '3');
    expect(await run({ ...latest, destination: 'https://example.com/build/2' }, '4')).toBe(first);
    const { host: domain } = new URL(first.trim().slice('short-url='.length));
    const { body } = await api.call('GET', `/short-link/lookup?domain=${domain}&slug=latest-build`);
    expect(body).toMatchObject({ title: 'The latest "build"', destination: { value: 'https://example.com/build/2' } });
  });

  it('fails with the answer of the API', async () => {
    expect(await run({ ...inputs(), destination: 'nowhere' }, '5')).toContain('VALIDATION_ERROR');
  });
});
