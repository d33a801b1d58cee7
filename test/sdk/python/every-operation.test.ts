// @module-tag process

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, TestRunner } from 'vitest';
import { findPythonTools, installPythonSdk } from '#test/support/python-sdk.ts';
import { walkBySdk } from '#test/support/sdk-walk.ts';

const tools = TestRunner.matchesTags(['nightly', 'process']) ? findPythonTools() : undefined;

describe.skipIf(tools === undefined)('the SDK for Python', { tags: 'nightly' }, () => {
  it('every operation of /doc succeeds by its method, with its own example', async () => {
    using sdk = await installPythonSdk(tools!);
    const ends: (() => Promise<unknown>)[] = [];
    const failures = await walkBySdk(async (baseUrl) => {
      const child = spawn(sdk.python, [join(import.meta.dirname, 'calls.py')], {
        env: { API: baseUrl },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      ends.push(() => {
        child.stdin.end();
        return child.exitCode === null ? once(child, 'exit') : Promise.resolve();
      });
      return async ({ shape, ids, input: [fields = {}], headers }) => {
        child.stdin.write(`${JSON.stringify({ shape, ids, fields: await writable(fields), headers })}\n`);
        const line = await lines.next();
        const { answer, error } = JSON.parse(line.value ?? '{"error":"Python has ended."}') as {
          answer?: unknown;
          error?: string;
        };
        if (error !== undefined) throw new Error(error);
        return answer;
      };
    });
    for (const end of ends) await end();
    expect(failures).toEqual([]);
  });
});

/** Fields as JSON can hold them. */
async function writable(fields: object): Promise<object> {
  if (!('file' in fields)) return fields;
  const file = fields.file as File;
  return { file: { name: file.name, content: Buffer.from(await file.arrayBuffer()).toString('base64') } };
}
