import { z } from 'zod';
import { CliError, defineCommand, UsageError } from '#scripts/cli/command.ts';
import { unreachable } from '#scripts/cli/context.ts';
import { openShellConnection, type ShellConnection } from '#scripts/cli/shell/connection.ts';
import { describe } from '#scripts/cli/shell/describe.ts';
import { resultJson, resultText, type StatementResult } from '#scripts/cli/shell/results.ts';
import { runShell } from '#scripts/cli/shell/shell.ts';
import { divideStatements } from '#scripts/cli/shell/statements.ts';

const longestTimeoutSeconds = 86_400;

/** `db shell` */
export const dbShellCommand = defineCommand({
  name: 'db shell',
  about: String.raw`Run SQL on the database, read-only unless --write is given. \? lists the shell's own commands.`,
  isAudited: 'ifPossible',
  options: {
    command: {
      value: 'SQL',
      short: 'c',
      about: 'Run these statements and end. Statements may also come from standard input.',
    },
    write: { about: 'Allow changes.' },
    timeout: { value: 'SECONDS', about: 'Time after which a statement is cancelled. Default: 30; 0: never.' },
    limit: { value: 'NUMBER', about: 'How many rows of a result to show at most. Default: 1000.' },
  },
  schema: z.strictObject({
    command: z.string().optional(),
    write: z.boolean().default(false),
    timeout: z.coerce
      .number('must be a number of seconds')
      .min(0, 'must be at least 0')
      .max(longestTimeoutSeconds, `must be at most ${longestTimeoutSeconds}`)
      .default(30),
    limit: z.coerce.number('must be a number').int('must be a whole number').min(1).max(1_000_000).default(1_000),
  }),
  async run({ command, write: mayWrite, timeout, limit }, context) {
    const statements = command === undefined ? undefined : allStatements(command);
    const url = context.databaseUrl();
    const connection = await openShellConnection({ url, mayWrite, timeoutMs: timeout * 1_000, limit }).catch(
      (error: unknown) => {
        throw unreachable(url, error);
      },
    );
    try {
      if (command?.trim().startsWith('\\') === true) return await describeOne(connection, command);
      if (statements !== undefined) return await runAll(connection, statements);
      const { host, pathname } = new URL(url);
      const isWell = await runShell({
        connection,
        stdin: context.stdin,
        stdout: context.stdout,
        err: context.err,
        mayWrite,
        greeting: `${host}${pathname}, ${mayWrite ? 'changes are allowed' : 'read-only'}. \\? for help, \\q to end.`,
        ...(context.wantsJson ? { show: (result: StatementResult) => JSON.stringify(resultJson(result)) } : {}),
      });
      return { json: undefined, text: '', hasFailed: !isWell };
    } finally {
      await connection.close();
    }
  },
});

function allStatements(text: string): string[] {
  const { statements, rest } = divideStatements(text);
  const all = rest.trim() === '' ? statements : [...statements, rest.trim()];
  if (all.length === 0) throw new UsageError('--command: holds no statement');
  return all;
}

async function describeOne(connection: ShellConnection, command: string) {
  const text = await describe(connection, command).catch((error: Error) => {
    throw new CliError(error.message, { cause: error });
  });
  if (text === undefined) throw new UsageError('--command: may be \\dt, \\d NAME, or SQL');
  return { json: { text }, text };
}

async function runAll(connection: ShellConnection, statements: readonly string[]) {
  const results: StatementResult[] = [];
  for (const statement of statements) {
    results.push(
      await connection.run(statement).catch((error: Error) => {
        throw new CliError(error.message, { cause: error });
      }),
    );
  }
  const text = results.map((result) => resultText(result)).join('\n\n');
  return { json: { results: results.map(resultJson) }, text };
}
