// @module-tag process

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { useTestApi } from '#test/support/api.ts';

const guide = readFileSync(join(import.meta.dirname, '../../docs/api.md'), 'utf8');

/** Every command of the guide, with the status behind `#`. */
const commands = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
  [...block.matchAll(/(curl (?:[^\n]*\\\n)*[^\n]*?) # (\d{3})$/gm)].map(([, command = '', status]) => ({
    command,
    status: Number(status),
  })),
);

let address: string;
const api = useTestApi();
beforeAll(async () => {
  address = await api.app.listen({ host: '127.0.0.1', port: 0 });
});

describe('the API guide', () => {
  it('every command of the API guide names its status', () => {
    expect(commands.length).toBeGreaterThan(10);
    expect(commands).toHaveLength(guide.match(/^curl /gm)!.length);
  });

  it('every command of the API guide answers as written', async () => {
    for (const { command, status } of commands) {
      const { stdout } = await run(command);
      expect({ command, status: Number(/^HTTP\/1\.1 (\d+)/.exec(stdout)?.[1]) }).toEqual({ command, status });
    }
  });
});

function run(command: string): Promise<{ stdout: string }> {
  const env = { PATH: process.env.PATH, API: address, KEY: api.organization.key };
  return new Promise((resolve, reject) => {
    // The API runs in this process: a synchronous call would wait for itself.
    execFile('bash', ['-c', command], { env }, (error, stdout) =>
      error === null ? resolve({ stdout }) : reject(error),
    );
  });
}
