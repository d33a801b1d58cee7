import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ServiceError } from '@temporalio/client';
import { type Config, ConfigError, loadConfig } from '../../config.ts';
import { connectTemporal } from '../../adapters/temporal.ts';
import { createTemporalAccess } from '../../adapters/temporal-access.ts';
import { configSections } from '../../core/settings.ts';
import { createDatabase } from '../../db/database.ts';
import { requireSchema } from '../../db/migrate.ts';
import { createOrm } from '../../db/orm.ts';
import { findRunningPostgres } from '../embedded/running-postgres.ts';
import { CliError, type CommandContext } from './command.ts';

/**
 * What commands work with, found in the environment when they ask. Only what a command uses must be set: SECRET_KEY, which
 * the processes need, is not needed to make an organization.
 */
export function createContext(env: NodeJS.ProcessEnv, stdin: NodeJS.ReadableStream): CommandContext {
  const databaseUrl = (): string => {
    const given = givenDatabaseUrl(env);
    if (given !== undefined) {
      const { error } = configSections.Data.DATABASE_URL.safeParse(given);
      if (error !== undefined) throw new ConfigError(error.issues.map(({ message }) => `DATABASE_URL: ${message}`));
      return given;
    }
    const { WAYMARK_DATA_DIR: dataDir } = localConfig(env);
    const running = findRunningPostgres(dataDir);
    if (running !== undefined) return running;
    throw new CliError(
      `No database runs on ${dataDir}: run npm start first, or set DATABASE_URL (or WAYMARK_DATA_DIR, for another folder).`,
    );
  };

  const withDatabase: CommandContext['withDatabase'] = async (work) => {
    const url = databaseUrl();
    const db = createDatabase({ url, poolMax: 2, applicationName: 'waymark command' });
    try {
      await requireSchema(db.pool).catch((error: unknown) => {
        throw unreachable(url, error);
      });
      return await work(db);
    } finally {
      await db.close();
    }
  };

  return {
    readLine: () => readLine(stdin),
    databaseUrl,
    secretKeys() {
      const { SECRET_KEY: keys, WAYMARK_DATA_DIR: dataDir } = localConfig(env);
      if (keys !== undefined) return keys;
      if (givenDatabaseUrl(env) !== undefined) throw new CliError('SECRET_KEY is required with DATABASE_URL.');
      try {
        return [readFileSync(join(dataDir, 'secret-key'), 'utf8').trim()];
      } catch (error) {
        throw new CliError(`SECRET_KEY is not set, and ${dataDir} holds no secret-key.`, { cause: error });
      }
    },
    withDatabase,
    withEntities: (work) =>
      withDatabase(async () => {
        const orm = createOrm(databaseUrl());
        try {
          return await work(orm.em.fork());
        } finally {
          await orm.close();
        }
      }),
    async withTemporal(work) {
      const config = localConfig(env);
      const address = config.TEMPORAL_ADDRESS ?? `127.0.0.1:${config.TEMPORAL_PORT}`;
      const access = createTemporalAccess(address, config);
      const client = await connectTemporal({ ...access, namespace: config.TEMPORAL_NAMESPACE }).catch(
        (error: unknown) => {
          throw new CliError(`Temporal does not answer at ${address}.`, { cause: error });
        },
      );
      try {
        return await work(client);
      } catch (error) {
        // The client's own message says only what it was about to do.
        if (error instanceof ServiceError) {
          throw new CliError(`Temporal at ${address}: ${describeCause(error)}`, { cause: error });
        }
        throw error;
      } finally {
        await client.connection.close();
      }
    },
  };
}

function describeCause({ message, cause }: ServiceError): string {
  return cause instanceof Error ? `${message} (${cause.message}).` : `${message}.`;
}

/** An error that says which database it is about, without its password; errors of the schema say enough. */
export function unreachable(url: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return error as Error;
  const { host, pathname } = new URL(url);
  return new CliError(`The database ${host}${pathname} cannot be used: ${message === '' ? code : message}`, {
    cause: error,
  });
}

const localNames = [
  'WAYMARK_DATA_DIR',
  'SECRET_KEY',
  'SECRET_KEY_FILE',
  'TEMPORAL_ADDRESS',
  'TEMPORAL_PORT',
  'TEMPORAL_NAMESPACE',
  'TEMPORAL_TLS',
  'TEMPORAL_API_KEY',
  'TEMPORAL_API_KEY_FILE',
  'TEMPORAL_TLS_CA_FILE',
  'TEMPORAL_TLS_CERT_FILE',
  'TEMPORAL_TLS_KEY_FILE',
];

function localConfig(env: NodeJS.ProcessEnv): Config {
  return loadConfig(Object.fromEntries(localNames.map((name) => [name, env[name]])));
}

function givenDatabaseUrl({ DATABASE_URL: url, DATABASE_URL_FILE: file }: NodeJS.ProcessEnv): string | undefined {
  if (url !== undefined && url !== '') return url;
  if (file === undefined || file === '') return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new CliError(`DATABASE_URL_FILE cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

async function readLine(stdin: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input: stdin });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
  }
}
