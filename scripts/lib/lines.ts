import type { Readable } from 'node:stream';

const maxLineLength = 64 * 1024;

/** Calls `onLine` with each whole line of a stream, without its line end; a last line without one counts too. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() ?? '';
    // A process that never ends its line may not fill the memory.
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
  // A broken pipe means that the process is gone, which its exit tells better.
  stream.on('error', () => {});
}
