import type { EntityManager } from '@mikro-orm/postgresql';
import type { Client } from '@temporalio/client';
import type { z } from 'zod';
import type { Database } from '../../db/database.ts';

/** An option of a command. */
export interface Option {
  /** What stands for its value in the help; absent: a flag. */
  value?: string;
  required?: boolean;
  about: string;
}

/** What a command found or made: `json` for `--json`, `text` for people. */
export interface Outcome {
  json: unknown;
  text: string;
}

/** What commands work with. */
export interface CommandContext {
  /** The first line of standard input. */
  readLine(): Promise<string>;
  databaseUrl(): string;
  /** The values of SECRET_KEY. */
  secretKeys(): string[];
  /** Opens the database, once its schema is known to be new enough, for the time of `work`. */
  withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T>;
  /** The same, with MikroORM. */
  withEntities<T>(work: (em: EntityManager) => Promise<T>): Promise<T>;
  /** Connects to Temporal for the time of `work`: to TEMPORAL_ADDRESS, or to what `npm start` runs. */
  withTemporal<T>(work: (client: Client) => Promise<T>): Promise<T>;
}

/** A command of two words, or one. */
export interface Command {
  name: string;
  about: string;
  options: Record<string, Option>;
  run(values: Record<string, string | boolean | undefined>, context: CommandContext): Promise<Outcome>;
}

/** Arguments that a command cannot take: exit code 2, with its usage line. */
export class UsageError extends Error {}

/** A failure that the operator can mend: exit code 1. */
export class CliError extends Error {}

/** Makes a command whose options are checked by a schema before it runs. */
export function defineCommand<Schema extends z.ZodType>(definition: {
  name: string;
  about: string;
  options: Record<string, Option>;
  schema: Schema;
  run(values: z.output<Schema>, context: CommandContext): Promise<Outcome>;
}): Command {
  const { schema, run, ...rest } = definition;
  return {
    ...rest,
    run(values, context) {
      const parsed = schema.safeParse(values);
      if (parsed.success) return run(parsed.data, context);
      throw new UsageError(
        parsed.error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`).join('\n'),
      );
    },
  };
}

/** The usage line of a command. */
export function usageOf({ name, options }: Command): string {
  const parts = Object.entries(options).map(([option, { value, required = false }]) => {
    const part = value === undefined ? `--${option}` : `--${option} ${value}`;
    return required ? part : `[${part}]`;
  });
  return ['Usage: npm run -s waymark --', name, ...parts, '[--json]'].join(' ');
}

/** The help of a command. */
export function helpOf(command: Command): string {
  const rows = Object.entries({
    ...command.options,
    json: { about: 'Print JSON.' },
    help: { about: 'Print this.' },
  }).map(([name, option]: [string, Option]): [string, string] => [
    `--${name}${option.value === undefined ? '' : ` ${option.value}`}`,
    option.about,
  ]);
  return `${usageOf(command)}\n\n${command.about}\n\n${table(rows)}\n`;
}

/** Rows of two columns, the first one padded. */
export function table(rows: readonly [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
