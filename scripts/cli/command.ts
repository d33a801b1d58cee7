import type { EntityManager } from '@mikro-orm/postgresql';
import type { Client } from '@temporalio/client';
import type { z } from 'zod';
import type { Database } from '../../db/database.ts';

/** An option of a command. */
export interface Option {
  /** What stands for its value in the help; absent: a flag. */
  value?: string;
  required?: boolean;
  /** Whether its value is a secret, which no log is told. */
  secret?: boolean;
  about: string;
}

/** What a command found or made: `json` for `--json`, `text` for people. */
export interface Outcome {
  json: unknown;
  text: string;
  /** What it was done to, for the audit log. */
  subject?: AuditSubject;
}

/** What a command is about. */
export interface AuditSubject {
  organizationId?: string;
  /** Of what was changed or handed out. */
  id?: string;
}

/** A run of a command, for the audit log. */
export interface AuditedRun {
  /** The command. */
  action: string;
  /** The values of its options, but for secrets. */
  options: Record<string, string | boolean>;
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
  /**
   * Runs a command and notes it in the audit log: before it begins, so that there is a row whatever ends the process, and what
   * came of it afterwards.
   */
  audited(run: AuditedRun, work: () => Promise<Outcome>): Promise<Outcome>;
  /** Connects to Temporal for the time of `work`: to TEMPORAL_ADDRESS, or to what `npm start` runs. */
  withTemporal<T>(work: (client: Client) => Promise<T>): Promise<T>;
}

/** A command of two words, or one. */
export interface Command {
  name: string;
  about: string;
  /** Whether its runs are in the audit log: of all that change something or hand out data of customers. */
  isAudited: boolean;
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
  isAudited: boolean;
  options: Record<string, Option>;
  schema: Schema;
  run(values: z.output<Schema>, context: CommandContext): Promise<Outcome>;
}): Command {
  const { schema, run, ...rest } = definition;
  return {
    ...rest,
    run(values, context) {
      const parsed = schema.safeParse(values);
      if (parsed.success) {
        const work = () => run(parsed.data, context);
        if (!rest.isAudited) return work();
        return context.audited({ action: rest.name, options: withoutSecrets(values, rest.options) }, work);
      }
      throw new UsageError(
        parsed.error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`).join('\n'),
      );
    },
  };
}

const longestNoted = 500;

function withoutSecrets(
  values: Record<string, string | boolean | undefined>,
  options: Record<string, Option>,
): Record<string, string | boolean> {
  const entries = Object.entries(values).map(([name, value]) => {
    if (options[name]?.secret === true) return [name, value === undefined ? undefined : '(secret)'] as const;
    return [name, typeof value === 'string' ? value.slice(0, longestNoted) : value] as const;
  });
  return Object.fromEntries(entries.filter((entry): entry is [string, string | boolean] => entry[1] !== undefined));
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
