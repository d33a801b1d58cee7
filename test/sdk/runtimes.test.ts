// @module-tag nightly
// @module-tag process

import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { root } from '#scripts/lib/paths.ts';
import { createTestApi, useOwnTestApi } from '#test/support/api.ts';
import { hasBrowser, startBrowser } from '#test/support/browser.ts';
import { findRuntime } from '#test/support/fetched-tools.ts';
import { prepareSdk } from '#test/support/sdk.ts';

const run = promisify(execFile);
const built = join(root, 'sdk/typescript/dist/index.js');
const program = join(import.meta.dirname, 'walk.mjs');
const walked = {
  isSame: true,
  title: 'Walk',
  picture: 'image/png',
  refusal: 'NOT_FOUND',
  hasRequestId: true,
};

/** A page of another origin than the API's, which loads the built SDK; without `isAllowed` the API does not name it. */
async function openPage(isAllowed: boolean) {
  const files: Record<string, [string, string]> = {
    '/': ['text/html', '<!doctype html><title>Page</title>'],
    '/sdk.js': ['text/javascript', readFileSync(built, 'utf8')],
    '/walk.js': ['text/javascript', readFileSync(program, 'utf8')],
  };
  const server = createServer((request, response) => {
    const [type, text] = files[request.url ?? ''] ?? ['text/plain', ''];
    response.writeHead(text === '' ? 404 : 200, { 'content-type': type }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Not a secure context, as pages on a company's own network are: `crypto.randomUUID` is missing there.
  const origin = `http://pages.example:${(server.address() as { port: number }).port}`;
  const api = await createTestApi(isAllowed ? { corsOrigins: [origin] } : {});
  const address = await api.app.listen({ host: '127.0.0.1', port: 0 });
  const browser = await startBrowser();
  const page = await browser.newPage();
  await page.goto(origin);
  const { key } = api.organization;
  return {
    // As a text: Vitest would rewrite the imports of a function.
    walk: () =>
      page.evaluate(`Promise.all([import('/walk.js'), import('/sdk.js')]).then(([{ walk }, sdk]) =>
        walk(sdk, '${address.replace('127.0.0.1', 'api.example')}', '${key}'))`),
    async [Symbol.asyncDispose]() {
      await browser.close();
      server.close();
      await api[Symbol.asyncDispose]();
    },
  };
}

describe('the SDK for TypeScript beyond Node', () => {
  beforeAll(() => prepareSdk('build'));

  it.skipIf(!hasBrowser)('a page of an origin in CORS_ORIGINS makes, reads and deletes a link', async () => {
    await using page = await openPage(true);
    expect(await page.walk()).toEqual(walked);
  });

  it.skipIf(!hasBrowser)('a page of another origin gets a ConnectionError', async () => {
    await using page = await openPage(false);
    await expect(page.walk()).rejects.toThrow(/ConnectionError|no answer/i);
  });

  describe('in other runtimes', () => {
    const api = useOwnTestApi();
    let address: string;
    beforeAll(async () => {
      address = await api.app.listen({ host: '127.0.0.1', port: 0 });
    });

    it.each(['deno', 'bun', 'node'] as const)('%s makes, reads and deletes a link', async (name) => {
      const runtime = findRuntime(name);
      if (runtime === undefined) return;
      const folder = mkdtempSync(join(tmpdir(), 'waymark-runtime-'));
      try {
        const sdk = join(folder, 'node_modules/@waymark/sdk');
        mkdirSync(sdk, { recursive: true });
        cpSync(join(root, 'sdk/typescript/package.json'), join(sdk, 'package.json'));
        cpSync(join(root, 'sdk/typescript/dist'), join(sdk, 'dist'), { recursive: true });
        cpSync(program, join(folder, 'walk.mjs'));
        writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
        const main = `import * as sdk from '@waymark/sdk';\nimport { walk } from './walk.mjs';
console.log(JSON.stringify(await walk(sdk, '${address}', '${api.organization.key}')));\n`;
        writeFileSync(join(folder, 'main.mjs'), main);
        const args = { deno: ['run', '--no-remote', '--allow-net=127.0.0.1'], bun: ['run'], node: [] }[name];
        const { stdout } = await run(runtime, [...args, 'main.mjs'], { cwd: folder });
        expect(JSON.parse(stdout)).toEqual(walked);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  });
});
