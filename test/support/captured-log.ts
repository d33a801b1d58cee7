import type { Logger } from 'pino';
import { createLog } from '#adapters/log.ts';

/** A log that keeps its lines in memory, at every level. */
export interface CapturedLog {
  log: Logger;
  /** All lines, as they would be written. */
  text(): string;
  /** All lines, parsed. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into entries of every shape
  entries(): any[];
}

/** Makes a log of a process that is kept in memory. */
export function captureLog(process: string): CapturedLog {
  const lines: string[] = [];
  return {
    log: createLog({ level: 'trace', process, stream: { write: (line: string) => void lines.push(line) } }),
    text: () => lines.join(''),
    entries: () => lines.map((line) => JSON.parse(line) as object),
  };
}
