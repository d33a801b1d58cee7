import type { EntityManager } from '@mikro-orm/postgresql';
import type { Client } from '@temporalio/client';
import type { z } from 'zod';
import type { Storage } from '#core/files/storage.ts';
import type { Database } from '#db/connection/database.ts';
import { table } from './output.ts';

/** An option of a command. */
export interface Option {
  /** What stands for its value in the help; absent: a flag. */
  value?: string;
  /** One letter that stands for it. */
  short?: string;
  required?: boolean;
  /** Whether its value is a secret, which no log is told. */
  secret?: boolean;
  about: string;
}

/** What a command found or made: `json` for `--json`, `text` for people. */
export interface Outcome {
  json: unknown;
  /** Empty: nothing is left to say. */
  text: string;
  /** Whether something has failed that was told already: exit code 1. */
  hasFailed?: boolean;
  /** What it was done to, for the audit log. */
  subject?: AuditSubject;
}

/** What a command is about. */
interface AuditSubject {
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
  /** Whether nothing is done that cannot be noted. */
  isRequired: boolean;
}

/** What commands work with. */
export interface CommandContext {
  /** The first line of standard input. */
  readLine(): Promise<string>;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream;
  /** Writes to standard error. */
  err(text: string): void;
  /** Whether `--json` was given. */
  readonly wantsJson: boolean;
  databaseUrl(): string;
  /** Opens the storage of uploaded files. */
  openStorage(): Storage;
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
  withTemporal<T>(work: (client: Client, queue: { namespace: string; taskQueue: string }) => Promise<T>): Promise<T>;
}

/** A command of two words, or one. */
export interface Command {
  name: string;
  about: string;
  /**
   * Whether its runs are in the audit log: of all that change something or hand out data of customers. `ifPossible`: it runs
   * all the same where the database takes no row, which is when it is wanted most.
   */
  isAudited: boolean | 'ifPossible';
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
  isAudited: Command['isAudited'];
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
  }).map(([name, { short, value, about }]: [string, Option]): [string, string] => [
    `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    about,
  ]);
  return `${usageOf(command)}\n\n${command.about}\n\n${table(rows)}\n`;
}
