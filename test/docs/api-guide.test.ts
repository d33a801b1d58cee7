// @module-tag process

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { prepareSamples, writePicture } from '#test/support/samples.ts';

const folder = join(import.meta.dirname, '../../docs/api');
const pages = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

/** Every command of a page, with the status behind `#`. */
function commandsOf(text: string): { command: string; status: number }[] {
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    [...block.matchAll(/^(curl [\s\S]*?) # (\d{3})$/gm)].map(([, command = '', status]) => ({
      command,
      status: Number(status),
    })),
  );
}

describe('docs/api', () => {
  const api = useOwnTestApi();
  const environments = new Map<string, Record<string, string>>();
  const own = mkdtempSync(join(tmpdir(), 'waymark-guide-'));
  afterAll(() => rmSync(own, { recursive: true, force: true }));
  beforeAll(async () => {
    await writePicture(own);
    const address = await api.app.listen({ host: '127.0.0.1', port: 0 });
    for (const { name } of pages) environments.set(name, await prepareSamples(api, address));
  });

  it.each(pages)('every command of $name names its status', ({ text }) => {
    expect(commandsOf(text).length).toBeGreaterThan(0);
    expect(commandsOf(text)).toHaveLength(text.match(/^curl /gm)!.length);
  });

  it.each(pages)('every command of $name answers as written', async ({ name, text }) => {
    const commands = commandsOf(text);
    const end = '--- end of an answer ---';
    const script = commands.map(({ command }) => `${command}\necho; echo '${end}'`).join('\n');
    // Without the start-up file of the one who runs the tests, which bash reads where its input is a socket.
    const env = { PATH: process.env.PATH, ...environments.get(name) };
    const answers = (await run('bash', ['--norc'], { env, cwd: own }, script)).split(end);
    for (const [index, { command, status }] of commands.entries()) {
      const answer = answers[index]?.trimStart() ?? '';
      expect({ command, status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]), answer }).toMatchObject({
        command,
        status,
      });
    }
  });
});

/** Runs a program to its end; the API runs in this process: a synchronous call would wait for itself. @returns what it printed. */
async function run(
  program: string,
  args: string[],
  where: { env: NodeJS.ProcessEnv; cwd: string },
  input: string,
): Promise<string> {
  const child = spawn(program, args, { ...where, stdio: 'pipe' });
  child.stdin.end(input);
  const [printed, problems, [code]] = await Promise.all([
    readAll(child.stdout),
    readAll(child.stderr),
    once(child, 'close'),
  ]);
  if (code !== 0) throw new Error(problems);
  return printed;
}
