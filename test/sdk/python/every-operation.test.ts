// @module-tag process

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, TestRunner } from 'vitest';
import { callEveryOperation, shapeOf } from '#test/support/every-operation.ts';
import { findPythonTools, installPythonSdk } from '#test/support/python-sdk.ts';

const tools = TestRunner.matchesTags(['nightly', 'process']) ? findPythonTools() : undefined;

describe.skipIf(tools === undefined)('the SDK for Python', { tags: 'nightly' }, () => {
  it('every operation of /doc succeeds by its method, and fails by the API’s code', async () => {
    using sdk = await installPythonSdk(tools!);
    const ends: (() => Promise<unknown>)[] = [];
    const failures = await callEveryOperation((baseUrl) => {
      const child = spawn(sdk.python, [join(import.meta.dirname, 'calls.py')], {
        env: { API: baseUrl },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      ends.push(() => {
        child.stdin.end();
        return child.exitCode === null ? once(child, 'exit') : Promise.resolve();
      });
      return async ({ operation: { method, path }, ids, input, file, headers }) => {
        const fields =
          file === undefined ? (input ?? {}) : { file: { ...file, content: file.content.toString('base64') } };
        child.stdin.write(`${JSON.stringify({ shape: shapeOf(method, path), ids, fields, headers })}\n`);
        const line = await lines.next();
        const { answer, error, ...failed } = JSON.parse(line.value ?? '{"error":"Python has ended."}') as {
          answer?: unknown;
          error?: string;
        };
        if (error !== undefined) throw Object.assign(new Error(error), failed);
        return answer;
      };
    });
    for (const end of ends) await end();
    expect(failures).toEqual([]);
  });
});
