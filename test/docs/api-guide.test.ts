// @module-tag process

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';
import { createPerson, createUserKey } from '#test/support/people.ts';

const folder = join(import.meta.dirname, '../../docs/api');
const pages = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

type Environment = Record<string, string>;

/** Every command of a page, with the status behind `#`. */
function commandsOf(text: string): { command: string; status: number }[] {
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    [...block.matchAll(/^(curl [\s\S]*?) # (\d{3})$/gm)].map(([, command = '', status]) => ({
      command,
      status: Number(status),
    })),
  );
}

// Each runs the programs that it reads, one after the other: to start Node or Python takes longer than most programs.
const runners = {
  ts: [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    '--input-type=module',
    '-e',
    `import { stripTypeScriptTypes } from 'node:module';
     import { json } from 'node:stream/consumers';
     for (const { env, name, program } of await json(process.stdin)) {
       Object.assign(process.env, env);
       const code = stripTypeScriptTypes(program) + '\\n//# sourceURL=' + name;
       await import('data:text/javascript,' + encodeURIComponent(code));
     }`,
  ],
  python: [
    'python3',
    '-c',
    `import json, os, sys
for one in json.load(sys.stdin):
    os.environ.update(one["env"])
    exec(compile(one["program"], one["name"], "exec"), {"__name__": "__main__"})`,
  ],
} as const;

describe('docs/api', () => {
  const api = useOwnTestApi();
  const environments = new Map<string, Environment>();
  beforeAll(async () => {
    const address = await api.app.listen({ host: '127.0.0.1', port: 0 });
    for (const { name } of pages) environments.set(name, await prepare(address));
  });

  /** Makes an organization with what a page's commands and programs name. @returns their variables. */
  async function prepare(address: string): Promise<Environment> {
    const { id: organizationId, key } = await createOrganization(api.db);
    const { id: adminId } = await createPerson(api.db, { [organizationId]: 'admin' });
    const adminKey = await createUserKey(api.db, organizationId, adminId);
    const create = async (url: string, body: object, by = key): Promise<string> => {
      const made = await api.call('POST', url, body, { headers: { 'x-api-key': by } });
      expect(made.status).toBe(201);
      return made.body.id;
    };
    const file = new FormData();
    file.append('file', new Blob(['url\nhttps://example.com/a']), 'a.csv');
    const imported = await fetch(`${address}/short-link/import`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      body: file,
    });
    return {
      API: address,
      KEY: key,
      LINK: await create('/short-link', { destination: { type: 'link', value: 'https://example.com/shoes' } }),
      ADMIN_KEY: adminKey,
      FOLDER: await create('/folder', { name: 'Guide' }),
      KEY_ID: await create('/api-key', { type: 'integration', name: 'CI', permissions: { stats: ['read'] } }, adminKey),
      DOMAIN: await create('/domain', { domain: 'links.example.com' }),
      IMPORT: ((await imported.json()) as { id: string }).id,
    };
  }

  it.each(pages)('every command of $name names its status', ({ text }) => {
    expect(commandsOf(text).length).toBeGreaterThan(0);
    expect(commandsOf(text)).toHaveLength(text.match(/^curl /gm)!.length);
  });

  it.each(['ts', 'python'] as const)('every program in %s runs', async (language) => {
    const [program, ...args] = runners[language];
    // Machines of contributors may have no Python.
    if (spawnSync(program, ['--version']).error !== undefined) return;
    const programs = pages.flatMap(({ name, text }) => {
      const blocks = [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))];
      expect({ name, hasPrograms: blocks.length > 0 }).toEqual({ name, hasPrograms: true });
      return blocks.map(([, block = '']) => ({ name, program: block, env: environments.get(name) }));
    });
    await run(program, args, { ...process.env }, JSON.stringify(programs));
  });

  it.each(pages)('every command of $name answers as written', async ({ name, text }) => {
    const commands = commandsOf(text);
    const end = '--- end of an answer ---';
    const script = commands.map(({ command }) => `${command}\necho; echo '${end}'`).join('\n');
    // Without the start-up file of the one who runs the tests, which bash reads where its input is a socket.
    const answers = (
      await run('bash', ['--norc'], { PATH: process.env.PATH, ...environments.get(name) }, script)
    ).split(end);
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
async function run(program: string, args: string[], env: NodeJS.ProcessEnv, input: string): Promise<string> {
  const child = spawn(program, args, { env, stdio: 'pipe' });
  child.stdin.end(input);
  const [printed, problems, [code]] = await Promise.all([
    readAll(child.stdout),
    readAll(child.stderr),
    once(child, 'close'),
  ]);
  if (code !== 0) throw new Error(problems);
  return printed;
}
