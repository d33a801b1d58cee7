import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { readLines } from '#scripts/lib/running.ts';
import { createOutput } from '#scripts/supervisor/output.ts';

test('each output line has the name of its process as prefix, and the last twenty lines are kept', () => {
  const written: string[] = [];
  const output = createOutput({ write: (text) => written.push(text) });
  const api = output('api');
  output('worker').line('hello');
  for (let line = 1; line <= 21; line++) api.line(`line ${line}`);
  expect(written.slice(0, 2)).toEqual(['worker   | hello\n', 'api      | line 1\n']);
  expect(api.tail()).toHaveLength(20);
  expect(api.tail()[0]).toBe('line 2');
});

test('process names have colour only on a terminal', () => {
  vi.stubEnv('NO_COLOR', '');
  const written: string[] = [];
  createOutput({ write: (text) => written.push(text), isTTY: true })('api').line('hello');
  expect(written[0]).toBe('\u001B[36mapi      |\u001B[0m hello\n');
  vi.unstubAllEnvs();
});

test('JSON is made readable on a terminal, and stays as it is elsewhere', () => {
  const line = '{"level":30,"time":"soon","msg":"hello","port":3000}';
  for (const [isTTY, shown] of [
    [true, '--:--:-- info  hello port=3000'],
    [false, line],
  ] as const) {
    const written: string[] = [];
    const api = createOutput({ write: (text) => written.push(text), isTTY })('api');
    api.line(line);
    expect(written[0]).toContain(` ${shown}\n`);
    expect(api.tail()).toEqual([shown]);
  }
});

test('output lines stay whole in any chunks and with any line ends, the last line included', async () => {
  const stream = new PassThrough();
  const lines: string[] = [];
  readLines(stream, (line) => lines.push(line));
  const bytes = Buffer.from('one\r\ntwö\n\nlast');
  for (const byte of bytes) stream.write(Buffer.from([byte]));
  stream.end();
  await new Promise((resolve) => stream.once('end', resolve));
  expect(lines).toEqual(['one', 'twö', '', 'last']);
});
