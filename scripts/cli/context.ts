import { readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ServiceError } from '@temporalio/client';
import { type Config, ConfigError, loadConfig } from '#config/load.ts';
import { createBreachedPasswords } from '#adapters/breached-passwords.ts';
import { connectTemporal } from '#adapters/temporal/client.ts';
import { createStorage } from '#adapters/storage/storage.ts';
import { createTemporalAccess } from '#adapters/temporal/access.ts';
import { configSections } from '#config/schema.ts';
import { list } from '#config/values.ts';
import { AuditEntry } from '#db/entities/audit.ts';
import { isUndefinedRelation } from '#db/connection/errors.ts';
import { createDatabase } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { openClickHouse } from '#db/connection/clickhouse/open-clickhouse.ts';
import { requireSchema } from '#db/migrations/migrate.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import { findRunningClickHouse } from '#scripts/embedded/clickhouse/running.ts';
import { findRunningPostgres } from '#scripts/embedded/postgres/running.ts';
import { createGuardedClient } from '#start/guarded-clients.ts';
import { type AuditedRun, CliError, type CommandContext, type Outcome } from './command.ts';

/**
 * Reads settings when a command uses them, so that a command needs only its own settings: `org create` runs without SECRET_KEY,
 * which the processes require.
 */
export function createContext(
  env: NodeJS.ProcessEnv,
  { stdin, stdout, err, wantsJson }: Pick<CommandContext, 'stdin' | 'stdout' | 'err' | 'wantsJson'>,
): CommandContext {
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
    const config = localConfig(env);
    const db = createDatabase({
      url,
      poolMax: 2,
      applicationName: 'waymark command',
      statementTimeoutMs: config.CLI_STATEMENT_TIMEOUT_MS,
      idleTransactionTimeoutMs: config.DATABASE_IDLE_TRANSACTION_TIMEOUT_MS,
    });
    try {
      await requireSchema(db.pool).catch((error: unknown) => {
        throw unreachable(url, error);
      });
      return await work(db);
    } finally {
      await db.close();
    }
  };

  /** Writes to the audit log. @returns false where its table does not exist yet, as before the first `migrate`. */
  const note = async (write: (em: EntityManager) => Promise<void>): Promise<boolean> => {
    const url = databaseUrl();
    const db = createDatabase({ url, poolMax: 1, applicationName: 'waymark command' });
    try {
      await createEntityManager(db).transactional(write);
      return true;
    } catch (error) {
      if (isUndefinedRelation(error)) return false;
      throw unreachable(url, error);
    } finally {
      await db.close();
    }
  };

  const audited = async (
    { action, options, isRequired }: AuditedRun,
    work: () => Promise<Outcome>,
  ): Promise<Outcome> => {
    let id = '';
    const nothing = { userId: null, organizationId: null, subjectId: null };
    const row = { at: new Date(), caller: 'operator' as const, actor: systemUser(env), ...nothing };
    const begin = async (em: EntityManager): Promise<void> => {
      id = await em.getRepository(AuditEntry).write({ ...row, action, details: { options, outcome: 'begun' } });
    };
    const orWarn = (error: Error): boolean => {
      if (isRequired) throw error;
      err(`The audit log has no entry for this run: ${error.message}\n`);
      return false;
    };
    const isNoted = await note(begin).catch(orWarn);
    const finish = async (outcome: 'done' | 'failed', { subject }: Partial<Outcome> = {}): Promise<void> => {
      const about = { organizationId: subject?.organizationId, subjectId: subject?.id, details: { outcome } };
      await note(async (em) => {
        if (!isNoted) await begin(em);
        (await em.findOneOrFail(AuditEntry, id)).complete(about);
      });
    };
    try {
      const outcome = await work();
      await finish('done', outcome).catch(orWarn);
      return outcome;
    } catch (error) {
      // The error of the command matters more than that of the audit log.
      await finish('failed').catch(() => undefined);
      throw error;
    }
  };

  return {
    audited,
    stdin,
    stdout,
    err,
    wantsJson,
    readLine: () => readLine(stdin),
    databaseUrl,
    openClickHouse: () => {
      const { CLICKHOUSE_URL: url, CLI_STATEMENT_TIMEOUT_MS: timeoutMs } = localConfig(env, ['CLICKHOUSE_URL']);
      const { WAYMARK_DATA_DIR: dataDir } = localConfig(env);
      const running = givenDatabaseUrl(env) === undefined ? findRunningClickHouse(dataDir) : undefined;
      return openClickHouse(url ?? running, 'command', timeoutMs);
    },
    openStorage: () => createStorage(localConfig(env, storageNames)),
    async isBreached(password) {
      const config = localConfig(env, passwordNames);
      const { BREACHED_PASSWORDS_FILE: file, BREACHED_PASSWORDS_URL: url } = config;
      const http = createGuardedClient('operator', config);
      const service = url === undefined ? undefined : { url, http };
      const onError = (error: unknown): never => {
        const { message } = error as Error;
        throw new CliError(`BREACHED_PASSWORDS_FILE or BREACHED_PASSWORDS_URL cannot be searched: ${message}`, {
          cause: error,
        });
      };
      try {
        return await createBreachedPasswords({ file, service, onError })(password);
      } finally {
        await http.close();
      }
    },
    secretKeys() {
      const { SECRET_KEY: keys, WAYMARK_DATA_DIR: dataDir } = localConfig(env);
      if (keys !== undefined) return keys;
      if (givenDatabaseUrl(env) !== undefined) throw new CliError('SECRET_KEY is required with DATABASE_URL.');
      try {
        return list.parse(readFileSync(join(dataDir, 'secret-key'), 'utf8'));
      } catch (error) {
        throw new CliError(`SECRET_KEY is not set, and ${dataDir} holds no file secret-key.`, { cause: error });
      }
    },
    withDatabase,
    withEntities: (work) => withDatabase((db) => work(createEntityManager(db).fork())),
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
        return await work(client, { namespace: config.TEMPORAL_NAMESPACE, taskQueue: config.TEMPORAL_TASK_QUEUE });
      } catch (error) {
        // The message of the client names only the attempted call.
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

/** Adds the database's host and name, without password, to connection errors; other errors pass unchanged. */
export function unreachable(url: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return error as Error;
  const { host, pathname } = new URL(url);
  return new CliError(`The database ${host}${pathname} cannot be used: ${message === '' ? code : message}`, {
    cause: error,
  });
}

const storageNames = Object.keys(configSections['Uploaded files']);
const passwordNames = ['BREACHED_PASSWORDS_FILE', 'BREACHED_PASSWORDS_URL', 'DNS_SERVERS', 'WEBHOOK_CA_FILE'];
const localNames = [
  'WAYMARK_DATA_DIR',
  'SECRET_KEY',
  'CLI_STATEMENT_TIMEOUT_MS',
  'DATABASE_IDLE_TRANSACTION_TIMEOUT_MS',
  'TEMPORAL_ADDRESS',
  'TEMPORAL_PORT',
  'TEMPORAL_NAMESPACE',
  'TEMPORAL_TASK_QUEUE',
  'TEMPORAL_TLS',
  'TEMPORAL_API_KEY',
  'TEMPORAL_TLS_CA_FILE',
  'TEMPORAL_TLS_CERT_FILE',
  'TEMPORAL_TLS_KEY_FILE',
];

/** Reads settings by their names, secrets from files too. */
function localConfig(env: NodeJS.ProcessEnv, others: readonly string[] = []): Config {
  const names = [...localNames, ...others].flatMap((name) => [name, `${name}_FILE`]);
  return loadConfig(Object.fromEntries(names.map((name) => [name, env[name]])));
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

/** The operating system's user, for the audit log. */
function systemUser({ SUDO_USER: sudoUser }: NodeJS.ProcessEnv): string {
  let name: string;
  try {
    name = userInfo().username;
  } catch {
    // In a container the user may have no name.
    name = `uid ${process.getuid?.() ?? 'unknown'}`;
  }
  return sudoUser === undefined || sudoUser === '' || sudoUser === name ? `cli:${name}` : `cli:${sudoUser} as ${name}`;
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
