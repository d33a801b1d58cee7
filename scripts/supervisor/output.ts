import { readable } from './readable.ts';

const tailLength = 20;
const nameWidth = 8;
const colours = [36, 35, 34, 33, 32, 31];

/** Writes a process's log lines with the process's name in front, and keeps the last ones. */
export interface LogWriter {
  line(text: string): void;
  /** The last lines, oldest first. */
  tail(): string[];
}

interface OutputStream {
  write(text: string): unknown;
  isTTY?: boolean;
}

/**
 * Writers for processes that share a stream. On a terminal, names have colours and JSON lines become readable ones; otherwise
 * lines stay JSON for programs.
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

/** Seconds since `startedAt` (of `performance.now()`), such as `1.2 s`. */
export function elapsed(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}
