const levels: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};
const levelWidth = 5;
// Shown at the start of the line, or of no interest to a reader.
const hidden = new Set(['level', 'time', 'ts', 'msg', 'process', 'pid', 'hostname', 'v', 'logging-call-at']);
const stackIndent = '         ';

/**
 * Formats a JSON log line (ours or Temporal's) as `HH:MM:SS level message key=value …`, with an error's frames on lines of their
 * own. Other lines stay unchanged. ADR 21 says why this is not pino-pretty.
 */
export function readable(line: string): string {
  const entry = parse(line);
  if (entry === undefined) return line;
  const { level, time, ts, msg } = entry;
  const at = new Date((time ?? ts) as string | number);
  const name = typeof level === 'number' ? (levels[level] ?? String(level)) : String(level);
  const parts = [
    Number.isNaN(at.getTime()) ? '--:--:--' : at.toTimeString().slice(0, 8),
    name.padEnd(levelWidth),
    String(msg),
  ];
  let stack = '';
  for (const [key, value] of Object.entries(entry)) {
    if (hidden.has(key)) continue;
    parts.push(`${key}=${show(value)}`);
    stack += framesOf(value);
  }
  return parts.join(' ') + stack;
}

function parse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const entry = JSON.parse(line) as Record<string, unknown>;
    return 'level' in entry && 'msg' in entry ? entry : undefined;
  } catch {
    return undefined;
  }
}

function show(value: unknown): string {
  const { message } = (value ?? {}) as { message?: unknown };
  const text = typeof message === 'string' ? message : value;
  // Quoted where the end of the value would be unclear.
  return typeof text === 'string' && /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}

function framesOf(value: unknown): string {
  const { stack } = (value ?? {}) as { stack?: unknown };
  if (typeof stack !== 'string') return '';
  const frames = stack.split('\n').filter((frame) => /^\s+at /.test(frame));
  return frames.map((frame) => `\n${stackIndent}${frame.trim()}`).join('');
}

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
