import type { Readable } from 'node:stream';

const maxLineLength = 64 * 1024;

/** Calls `onLine` with each line of a stream, without line end. A last line without line end counts too. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() ?? '';
    // Bounds the memory for a process that never ends its line.
    if (rest.length > maxLineLength) {
      lines.push(rest);
      rest = '';
    }
    for (const line of lines) onLine(line);
  });
  stream.on('end', () => {
    if (rest !== '') onLine(rest);
    rest = '';
  });
  // After a broken pipe the exit of the process says more.
  stream.on('error', () => {});
}
