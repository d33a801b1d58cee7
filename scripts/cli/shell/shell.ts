import { createInterface, type Interface } from 'node:readline';
import type { ShellConnection } from './connection.ts';
import { describe } from './describe.ts';
import { resultText, type StatementResult } from './results.ts';
import { divideStatements } from './statements.ts';

interface ShellOptions {
  connection: ShellConnection;
  stdin: NodeJS.ReadableStream;
  /** Stream for results. */
  stdout: NodeJS.WritableStream;
  /** Writes errors. */
  err(text: string): void;
  mayWrite: boolean;
  /** First line on a terminal. */
  greeting: string;
  /** Formats a result. Default: as text. */
  show?: (result: StatementResult) => string;
}

const help = String.raw`SQL ends with a semicolon, also over several lines. Besides:
  \dt          tables, with their size
  \d NAME      columns, indexes and constraints of a table; without a name as \dt
  \x           show each value on a line of its own; again: show tables
  \timing      show how long each statement takes; again: do not
  \q           end, as Ctrl-D does. Ctrl-C cancels a statement, or discards the typed text`;

/**
 * Reads and runs statements until the input ends or `\q`. On a terminal it continues after an error; elsewhere the first error
 * ends it.
 * @returns whether every statement succeeded.
 */
export async function runShell(options: ShellOptions): Promise<boolean> {
  const { connection, stdin, stdout, err, mayWrite, greeting } = options;
  const isTerminal = (stdin as Partial<NodeJS.ReadStream>).isTTY === true;
  let buffer = '';
  let isExpanded = false;
  let isTimed = false;
  let underWay = false;
  const out = (text: string): void => void stdout.write(`${text}\n`);
  const show = options.show ?? ((result: StatementResult) => resultText(result, { isExpanded }));
  const lines = createInterface({
    input: stdin,
    ...(isTerminal ? { output: stdout, terminal: true, historySize: 500 } : {}),
    completer: (line: string, answer: (error: null, found: [string[], string]) => void) =>
      void complete(connection, line).then(
        (found) => answer(null, found),
        () => answer(null, [[], line]),
      ),
  });
  const prompt = (): void => {
    if (!isTerminal) return;
    lines.setPrompt(buffer === '' ? `waymark${mayWrite ? '#' : '>'} ` : `      ${mayWrite ? '#' : '>'} `);
    lines.prompt();
  };
  if (isTerminal) out(greeting);
  lines.on('SIGINT', () => {
    if (underWay) return void connection.cancel().catch((error: Error) => err(`${error.message}\n`));
    buffer = '';
    clearLine(lines);
    prompt();
  });

  /** @returns whether to continue. */
  async function obey(command: string): Promise<boolean> {
    const [word = ''] = command.split(/\s+/);
    if (word === '\\q') return false;
    if (word === '\\x') {
      isExpanded = !isExpanded;
      out(`Expanded display is ${isExpanded ? 'on' : 'off'}.`);
    } else if (word === '\\timing') {
      isTimed = !isTimed;
      out(`Timing is ${isTimed ? 'on' : 'off'}.`);
    } else if (word === '\\?' || word === '\\h') out(help);
    else {
      const text = await describe(connection, command);
      if (text === undefined) throw new Error(`There is no command ${word}. \\? lists the commands.`);
      out(text);
    }
    return true;
  }

  async function run(statement: string): Promise<void> {
    const startedAt = performance.now();
    out(show(await connection.run(statement)));
    if (isTimed) out(`${(performance.now() - startedAt).toFixed(1)} ms`);
  }

  /** @returns whether to continue. */
  async function take(line: string): Promise<boolean> {
    const command = line.trim().replace(/;$/, '');
    if (buffer === '' && command.startsWith('\\')) return obey(command);
    if (buffer === '' && /^(quit|exit)$/i.test(command)) return false;
    const { statements, rest } = divideStatements(`${buffer}${line}\n`);
    buffer = rest;
    for (const statement of statements) await run(statement);
    return true;
  }

  let isWell = true;
  prompt();
  for await (const line of lines) {
    underWay = true;
    try {
      if (!(await take(line))) break;
    } catch (error) {
      buffer = '';
      isWell = false;
      err(`${(error as Error).message}\n`);
      if (!isTerminal) break;
    } finally {
      underWay = false;
    }
    prompt();
  }
  lines.close();
  if (isTerminal) return true;
  // The input may end without a semicolon.
  if (isWell && buffer.trim() !== '') {
    try {
      await run(buffer.trim());
    } catch (error) {
      err(`${(error as Error).message}\n`);
      return false;
    }
  }
  return isWell;
}

function clearLine(lines: Interface): void {
  lines.write(null as unknown as string, { ctrl: true, name: 'e' });
  lines.write(null as unknown as string, { ctrl: true, name: 'u' });
}

const words = ['select', 'from', 'where', 'order by', 'group by', 'limit', 'count(*)', 'explain analyze'];

async function complete(connection: ShellConnection, line: string): Promise<[string[], string]> {
  const begun = /\w*$/.exec(line)![0];
  if (begun === '') return [[], begun];
  const { rows } = await connection.run(
    `select relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p', 'v') and not c.relispartition and n.nspname = 'public' order by 1`,
  );
  const names = [...rows.map(([name]) => String(name)), ...words];
  return [names.filter((name) => name.startsWith(begun)), begun];
}
