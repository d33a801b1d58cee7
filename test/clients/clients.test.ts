// @module-tag process

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { root } from '#scripts/lib/paths.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { type Generator, generators } from './generators.ts';
import type { Command } from './tools.ts';

// The TypeScript client of oazapfts alone is generated: the others need tools that a machine may lack, or minutes of compilation.
// `npm run clients` installs them and names them here.
const chosen = process.env.WAYMARK_CLIENTS?.split(',') ?? ['TypeScript'];
const isWanted = ({ name }: Generator): boolean => chosen.includes(name);

// Inside the checkout, where the TypeScript client finds its packages.
mkdirSync(join(root, 'dist'), { recursive: true });
const parent = mkdtempSync(join(root, 'dist', 'clients-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

describe.each(generators)('a generated client: $name', (generator) => {
  const api = useOwnTestApi();

  // A busy machine needs ten minutes to compile a Go client.
  it.skipIf(!isWanted(generator))(
    'compiles strictly, and makes more than twenty calls (`npm run clients` tries those that are skipped)',
    { timeout: 1_200_000, tags: 'nightly' },
    async () => {
      const address = await api.app.listen({ host: '127.0.0.1', port: 0 });
      const { body } = await api.call('GET', '/doc');
      const lines = await makeCalls(generator, JSON.stringify(body), { API: address, KEY: api.organization.key });
      expect(lines.filter((line) => !/^ok [a-zA-Z]+$/.test(line))).toEqual([]);
      expect(lines).toHaveLength(25);
    },
  );
});

/** Generates and compiles a client, and makes its calls. @returns what the program printed, a line a call. */
async function makeCalls(generator: Generator, spec: string, env: Record<string, string>): Promise<string[]> {
  const folder = join(parent, generator.name.toLowerCase());
  mkdirSync(folder);
  writeFileSync(join(folder, 'openapi.json'), spec);
  const command = generator.build(folder, join(folder, 'openapi.json'));
  const output = await execute(command, env);
  return output.trim().split('\n');
}

/** @returns the output, of a program that fails too. */
function execute([program, ...args]: Command, env: Record<string, string>): Promise<string> {
  return new Promise((resolve) => {
    // The API runs in this process: a synchronous call would wait for itself.
    execFile(program, args, { env: { PATH: process.env.PATH, ...env } }, (error, stdout, stderr) =>
      resolve(error === null ? stdout : `${stdout}${stderr}`),
    );
  });
}
