import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { inject } from 'vitest';

/** What a command line has printed, and its exit code. */
export interface CliRun {
  code: number;
  stdout: string;
  stderr: string;
}

type Run = (args: readonly string[], io: object) => Promise<number>;

interface CliOptions {
  /** What is piped into it. */
  input?: string;
  env?: Record<string, string>;
  signal?: AbortSignal;
  /** Prints, and asks, as it does for a person. */
  isTerminal?: boolean;
  /** Called with all of the output so far, at each piece of it. */
  onOutput?: (text: string) => void;
}

/** Runs command lines within this process, with a home folder of their own. @param run that of `cli/run.js` */
export function createCli(run: Run, env: Record<string, string> = {}) {
  const home = mkdtempSync(join(inject('stack').folder, 'cli-'));
  const cli = async (args: readonly string[], options: CliOptions = {}): Promise<CliRun> => {
    const { input = '', isTerminal = false, signal = new AbortController().signal, onOutput } = options;
    const texts = { stdout: '', stderr: '' };
    const sink = (name: 'stdout' | 'stderr') => {
      const stream = new PassThrough();
      stream.on('data', (chunk: Buffer) => {
        texts[name] += chunk.toString();
        if (name === 'stdout') onOutput?.(texts.stdout);
      });
      return Object.assign(stream, { isTTY: isTerminal });
    };
    const stdin = Object.assign(new PassThrough(), { isTTY: isTerminal });
    stdin.end(input);
    const [stdout, stderr] = [sink('stdout'), sink('stderr')];
    const code = await run(args, { stdin, stdout, stderr, signal, env: { HOME: home, ...env, ...options.env } });
    await new Promise((resolve) => setImmediate(resolve));
    return { code, ...texts };
  };
  return { cli, home };
}
