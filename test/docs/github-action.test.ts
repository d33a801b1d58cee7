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
import { answer, breakOff, refuse, startScriptedServer } from '#test/support/scripted-server.ts';

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

  /** Runs its step as a runner does. @param place the job, leg of a matrix and attempt. @returns its output, or the end of its log. */
  async function run(
    inputs: Record<string, string>,
    runId: string,
    { job = 'build', leg = '0', attempt = '1' } = {},
  ): Promise<string> {
    const env = Object.entries(step.env).map(([name, expression]) => {
      if (expression === '${{ strategy.job-index }}') return [name, leg];
      const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(expression)![1]!;
      return [name, inputs[input] ?? action.inputs[input]!.default ?? ''];
    });
    const output = join(mkdtempSync(join(inject('stack').folder, 'action-')), 'output');
    writeFileSync(output, '');
    const more = {
      PATH: process.env.PATH,
      GITHUB_OUTPUT: output,
      GITHUB_RUN_ID: runId,
      GITHUB_RUN_ATTEMPT: attempt,
      GITHUB_JOB: job,
      GITHUB_ACTION: '__self',
    };
    const failed = await promisify(execFile)('bash', ['-c', step.run], { env: { ...Object.fromEntries(env), ...more } })
      .then(() => undefined)
      .catch((error: { stdout: string }) => error.stdout);
    return failed ?? readFileSync(output, 'utf8');
  }

  const inputs = () => ({ host, 'api-key': api.organization.key, destination: 'https://example.com/build/1' });

  it('makes a link, and the same one when the step is run again', async () => {
    const first = await run(inputs(), '1');
    expect(first).toMatch(/^short-url=http\S+\n$/);
    expect(await run(inputs(), '1', { attempt: '2' })).toBe(first);
    expect(await run(inputs(), '2')).not.toBe(first);
    expect(action.outputs['short-url']!.value).toBe(`\${{ steps.${step.id}.outputs.short-url }}`);
  });

  it('makes a link in each job and leg of a matrix, and for each destination', async () => {
    const made = [
      await run(inputs(), '6'),
      await run(inputs(), '6', { job: 'deploy' }),
      await run(inputs(), '6', { leg: '1' }),
      await run({ ...inputs(), destination: 'https://example.com/build/2' }, '6'),
    ];
    for (const one of made) expect(one).toMatch(/^short-url=http\S+\n$/);
    expect(new Set(made).size).toBe(4);
  });

  it('repeats a call after a lost connection and at a limit, by one key, and gives the last answer alone', async () => {
    const made = answer({ originUrl: 'https://go.example.com/a' }, 201);
    const limited = refuse('RATE_LIMIT_EXCEEDED', 429, { 'retry-after': '1' });
    await using server = await startScriptedServer(breakOff, limited, made);
    expect(await run({ ...inputs(), host: `${server.address}/` }, '7')).toBe('short-url=https://go.example.com/a\n');
    expect(server.sent.map(({ url }) => url)).toEqual(['/short-link', '/short-link', '/short-link']);
    expect(new Set(server.sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
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

  it('fails where a page answers, or a redirect, and follows none', async () => {
    await using other = await startScriptedServer(answer({ originUrl: 'https://go.example.com/a' }, 201));
    await using server = await startScriptedServer(
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
      (response) => response.writeHead(308, { location: other.address }).end(),
    );
    const host = server.address;
    expect(await run({ ...inputs(), host }, '8')).toContain(`No answer of Waymark: ${host} answers 200. Is it`);
    expect(await run({ ...inputs(), host }, '9')).toContain(`${host} answers 308 ${other.address}`);
    expect(other.sent).toEqual([]);
  });
});
