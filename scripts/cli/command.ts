import type { Client } from '@temporalio/client';
import type { z } from 'zod';
import type { Storage } from '#core/files/storage.ts';
import type { IsBreached } from '#core/accounts/breached-passwords.ts';
import type { ClickHouse } from '#db/connection/clickhouse/clickhouse.ts';
import type { Database } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { table } from './output.ts';

export interface Option {
  /** Placeholder of the value in the help; absent: a flag. */
  value?: string;
  required?: boolean;
  /** Whether the value is a secret, which is not logged. */
  secret?: boolean;
  about: string;
}

/** Result of a command: `json` for `--json`, otherwise `text`. */
export interface Outcome {
  json: unknown;
  /** Empty: nothing is printed. */
  text: string;
  /** Exit code 1, for a failure that was printed already. */
  hasFailed?: boolean;
  subject?: AuditSubject;
}

interface AuditSubject {
  organizationId?: string;
  /** Id of the changed or exported row. */
  id?: string;
}

/** A run of a command, for the audit log. */
export interface AuditedRun {
  action: string;
  /** Values of the options, without secrets. */
  options: Record<string, string | boolean>;
  /** Whether the command fails when the audit log cannot be written. */
  isRequired: boolean;
}

/** Input, output and connections of commands. */
export interface CommandContext {
  /** Reads the first line of standard input. */
  readLine(): Promise<string>;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  /** Writes to standard error. */
  err(text: string): void;
  readonly wantsJson: boolean;
  databaseUrl(): string;
  /** Opens the ClickHouse of CLICKHOUSE_URL, or that of the `npm start` on the data folder; undefined without one. The caller closes it. */
  openClickHouse(): Promise<ClickHouse | undefined>;
  /** Opens the storage of uploaded files. */
  openStorage(): Storage;
  /** Whether attackers have a new password. */
  isBreached: IsBreached;
  secretKeys(): string[];
  /** Runs `work` with an open database, whose schema must be new enough. */
  withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T>;
  /** The same, with an entity manager. */
  withEntities<T>(work: (em: EntityManager) => Promise<T>): Promise<T>;
  /**
   * Runs a command and writes it to the audit log: a row before it begins, so that a killed command leaves one, and the outcome
   * afterwards.
   */
  audited(run: AuditedRun, work: () => Promise<Outcome>): Promise<Outcome>;
  /** Runs `work` with a connection to TEMPORAL_ADDRESS, or to the Temporal of `npm start`. */
  withTemporal<T>(work: (client: Client, queue: { namespace: string; taskQueue: string }) => Promise<T>): Promise<T>;
}

/** A command; `name` has one or two words, the first of which names its file in `commands/`. */
export interface Command {
  name: string;
  about: string;
  /**
   * Whether the audit log has its runs: required for commands that change or export data. `ifPossible`: the command also runs while
   * the database takes no audit row, for the repair of that database.
   */
  isAudited: boolean | 'ifPossible';
  options: Record<string, Option>;
  run(values: Record<string, string | boolean | undefined>, context: CommandContext): Promise<Outcome>;
}

/** Invalid arguments: exit code 2, with the usage line. */
export class UsageError extends Error {}

/** A failure that the operator can fix: exit code 1. */
export class CliError extends Error {}

/** A command whose options are validated before it runs. */
export function defineCommand<Schema extends z.ZodType>(definition: {
  name: string;
  about: string;
  isAudited: Command['isAudited'];
  /** Whether a run with these options is left out of the audit log. */
  changesNothing?(values: z.output<Schema>): boolean;
  options: Record<string, Option>;
  schema: Schema;
  run(values: z.output<Schema>, context: CommandContext): Promise<Outcome>;
}): Command {
  const { schema, run, changesNothing, ...rest } = definition;
  return {
    ...rest,
    run(values, context) {
      const parsed = schema.safeParse(values);
      if (parsed.success) {
        const work = () => run(parsed.data, context);
        if (!rest.isAudited || changesNothing?.(parsed.data) === true) return work();
        const noted = { action: rest.name, options: withoutSecrets(values, rest.options) };
        return context.audited({ ...noted, isRequired: rest.isAudited === true }, work);
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

export function usageOf({ name, options }: Command): string {
  const parts = Object.entries(options).map(([option, { value, required = false }]) => {
    const part = value === undefined ? `--${option}` : `--${option} ${value}`;
    return required ? part : `[${part}]`;
  });
  return ['Usage: npm run -s waymark --', name, ...parts, '[--json]'].join(' ');
}

export function helpOf(command: Command): string {
  const rows = Object.entries({
    ...command.options,
    json: { about: 'Print JSON.' },
    help: { about: 'Print this help.' },
  }).map(([name, { value, about }]: [string, Option]): [string, string] => [
    `--${name}${value === undefined ? '' : ` ${value}`}`,
    about,
  ]);
  return `${usageOf(command)}\n\n${command.about}\n\n${table(rows)}\n`;
}
