// @module-tag process

import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';
import { createPerson, createUserKey } from '#test/support/people.ts';

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

describe.each(pages)('docs/api/$name', ({ text }) => {
  const api = useTestApi();
  const env: Record<string, string> = {};
  beforeAll(async () => {
    const { id: organizationId } = api.organization;
    const { id: adminId } = await createPerson(api.db, { [organizationId]: 'admin' });
    const adminKey = await createUserKey(api.db, organizationId, adminId);
    const create = async (url: string, body: object, key = api.organization.key): Promise<string> => {
      const made = await api.call('POST', url, body, { headers: { 'x-api-key': key } });
      expect(made.status).toBe(201);
      return made.body.id;
    };
    Object.assign(env, {
      API: await api.app.listen({ host: '127.0.0.1', port: 0 }),
      KEY: api.organization.key,
      LINK: await create('/short-link', { destination: { type: 'link', value: 'https://example.com/shoes' } }),
      ADMIN_KEY: adminKey,
      FOLDER: await create('/folder', { name: 'Guide' }),
      KEY_ID: await create('/api-key', { type: 'integration', name: 'CI', permissions: { stats: ['read'] } }, adminKey),
      DOMAIN: await create('/domain', { domain: 'links.example.com' }),
    });
    const file = `IMPORT=$(curl -s -X POST "$API/short-link/import" -H "x-api-key: $KEY" -F 'file=@-;filename=a.csv' <<<$'url\\nhttps://example.com/a')`;
    const { stdout } = await run(`${file}; echo "$IMPORT"`, env);
    env.IMPORT = (JSON.parse(stdout) as { id: string }).id;
  });

  it('every command names its status', () => {
    expect(commandsOf(text).length).toBeGreaterThan(0);
    expect(commandsOf(text)).toHaveLength(text.match(/^curl /gm)!.length);
  });

  it.each([
    ['ts', process.execPath, '--input-type=module-typescript', '-e'],
    ['python', 'python3', '-c'],
  ])('every program in %s runs', async (language, program, ...flags) => {
    // Machines of contributors may have no Python.
    if (spawnSync(program, ['--version']).error !== undefined) return;
    const blocks = [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
      ([, block = '']) => block,
    );
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) {
      await promisify(execFile)(program, [...flags, block], { env: { ...process.env, ...env } });
    }
  });

  it('every command answers as written', async () => {
    for (const { command, status } of commandsOf(text)) {
      const { stdout } = await run(command, env);
      expect({ command, status: Number(/^HTTP\/1\.1 (\d+)/.exec(stdout)?.[1]), answer: stdout }).toMatchObject({
        command,
        status,
      });
    }
  });
});

function run(command: string, env: Record<string, string>): Promise<{ stdout: string }> {
  return new Promise((resolve, reject) => {
    // The API runs in this process: a synchronous call would wait for itself.
    // Without the start-up file of the one who runs the tests, which bash reads where its input is a socket.
    execFile('bash', ['--norc', '-c', command], { env: { PATH: process.env.PATH, ...env } }, (error, stdout) =>
      error === null ? resolve({ stdout }) : reject(error),
    );
  });
}
