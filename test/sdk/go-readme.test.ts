// @module-tag nightly
// @module-tag process

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createWebhookSecret } from '#core/webhooks/signing.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { goSdkFolder, inGoProject, runGo, skipWithoutGo } from '#test/support/go.ts';

const api = useOwnTestApi();

it('the programs of the README of the Go SDK compile and run', async (context) => {
  await skipWithoutGo(context);
  const address = await api.app.listen({ host: '127.0.0.1', port: 0 });
  const readme = readFileSync(join(goSdkFolder, 'README.md'), 'utf8');
  const programs = [...readme.matchAll(/```go\n([\s\S]*?)```/g)].map(([, program = '']) => program);
  expect(programs.length).toBeGreaterThan(6);
  const [first = ''] = programs;
  const env = { API: address, KEY: api.organization.key, SECRET: createWebhookSecret() };
  for (const program of programs)
    await inGoProject({ 'main.go': program === first ? program : withHead(first, program) }, async (folder) => {
      expect(await runGo('gofmt', ['-l', '.'], folder)).toBe('');
      await runGo('go', ['vet', '.'], folder);
      // Twice: a program whose call is replayed works as well.
      for (const _ of ['first', 'second']) await runGo('go', ['run', '.'], folder, env);
    });
});

/** A program with the beginning of the first one, as the page says, and with the imports that it needs. */
function withHead(first: string, program: string): string {
  const known = ['errors', 'fmt', 'io', 'log', 'net/http', 'strings', 'time'];
  const needed = known.filter((path) => new RegExp(`\\b${path.replace(/^.*\//, '')}\\.\\w`).test(program));
  const imports = ['context', 'os', ...needed].toSorted().map((path) => `\t"${path}"\n`);
  const beginning = first.match(/^\t(?:ctx|client) := .*\n/gm)!;
  const body = program.replaceAll(/^(?=.)/gm, '\t');
  return `package main

import (
${imports.join('')}
	waymark "github.com/waymark/waymark/sdk/go"
)

func main() {
${beginning.join('')}	_, _ = ctx, client
${body}}
`;
}
