import { readable } from './readable.ts';

const tailLength = 20;
const nameWidth = 8;
const colours = [36, 35, 34, 33, 32, 31];

/** Writes one process's log lines to stdout, each with its name before it, and remembers the last ones. */
export interface LogWriter {
  line(text: string): void;
  /** The last lines, oldest first. */
  tail(): string[];
}

/** Where log lines go. */
interface OutputStream {
  write(text: string): unknown;
  isTTY?: boolean;
}

/**
 * Makes writers for processes that share a stream. Lines stay whole. On a terminal names have colours, and JSON is made
 * readable; elsewhere, where programs read, it stays JSON.
 */
export function createOutput(stream: OutputStream = process.stdout): (name: string) => LogWriter {
  const isTerminal = stream.isTTY === true;
  const coloured = isTerminal && (process.env.NO_COLOR ?? '') === '';
  let writers = 0;
  return (name) => {
    const colour = colours[writers++ % colours.length]!;
    const label = `${name.padEnd(nameWidth)} |`;
    const prefix = coloured ? `\u001B[${colour}m${label}\u001B[0m` : label;
    const last: string[] = [];
    return {
      line(text) {
        const shown = isTerminal ? readable(text) : text;
        last.push(shown);
        if (last.length > tailLength) last.shift();
        stream.write(`${prefix} ${shown}\n`);
      },
      tail: () => [...last],
    };
  };
}

/** Seconds since `startedAt` (of `performance.now()`), for people. */
export function elapsed(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}
