// @module-tag process

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { root } from '#scripts/lib/paths.ts';
import { useOwnTestApi } from '#test/support/api.ts';
import { hasCommand } from '#test/support/commands.ts';

const api = useOwnTestApi();
let url: string;
beforeAll(async () => {
  url = await api.app.listen({ port: 0, host: '127.0.0.1' });
});
const page = readFileSync(join(root, 'docs/integrations.md'), 'utf8');
const destination = 'https://example.com/autumn?size="8"&from=a+b';

function blockOf(language: string): string {
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)![1]!;
}

async function destinationOf(shortAddress: string): Promise<string> {
  const { host, pathname } = new URL(shortAddress);
  const { body } = await api.call('GET', `/short-link/lookup?domain=${host}&slug=${pathname.slice(1)}`);
  return body.destination.value;
}

test('the uploader of ShareX makes a link, and reads its address', async () => {
  const uploader = JSON.parse(blockOf('json')) as Record<'RequestMethod' | 'RequestURL' | 'Data' | 'URL', string>;
  // ShareX puts the input into the text as JSON has it.
  const body = JSON.parse(uploader.Data.replace('{input}', JSON.stringify(destination).slice(1, -1))) as unknown;
  const answer = await api.call(uploader.RequestMethod as 'POST', new URL(uploader.RequestURL).pathname, body);
  expect(answer.status).toBe(201);
  const field = /^\{json:(\w+)\}$/.exec(uploader.URL)![1]!;
  expect(await destinationOf(answer.body[field])).toBe(destination);
});

test.skipIf(!hasCommand('curl'))('the call for n8n, Make and Zapier makes one link of a run', async () => {
  const call = blockOf('sh').replace('https://waymark.example.com', url).replace('wm_live_…', api.organization.key);
  const made = async (): Promise<{ id: string; originUrl: string }> =>
    JSON.parse((await promisify(execFile)('bash', ['-c', call])).stdout) as { id: string; originUrl: string };
  const first = await made();
  expect(await destinationOf(first.originUrl)).toBe('https://example.com/');
  expect((await made()).id).toBe(first.id);
});

test.skipIf(!hasCommand('jq') || !hasCommand('curl'))('the script for Raycast prints the short address', async () => {
  const script = blockOf('bash').replace('https://waymark.example.com', url).replace('wm_live_…', api.organization.key);
  const { stdout } = await promisify(execFile)('bash', ['-c', script, 'shorten.sh', destination]);
  expect(await destinationOf(stdout.trim())).toBe(destination);
});
