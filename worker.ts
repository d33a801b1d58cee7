import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { type Logger, pino } from 'pino';
import { createScanActivities } from './activities/scan.ts';
import { aborted, reportReady, runToExit, stopSignal } from './adapters/process.ts';
import { createScanner } from './adapters/scanner.ts';
import { ThreatListError } from './adapters/threat-list.ts';
import { createTemporal, isTemporalAway, registerSearchAttributes } from './adapters/temporal.ts';
import { connectWorker, installRuntime, keepWorking } from './adapters/temporal-worker.ts';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { createDatabase, type Database } from './db/database.ts';
import { createListener } from './db/listener.ts';
import { requireSchema, SchemaError } from './db/migrate.ts';
import { channels } from './db/notify.ts';
import { createRelay } from './relay/relay.ts';
import { createScanStarter } from './relay/scan-starter.ts';
import { isBundleFresh, workflowBundlePath } from './scripts/bundle-workflows.ts';

/**
 * The worker process: Temporal's worker with its activities, and the relay that feeds it from the outbox. It waits for
 * the database and for Temporal where they are away, and survives their absences. Ends with 0 on SIGTERM or SIGINT, or
 * when its supervisor goes.
 */

const retryDatabaseMs = 500;

async function main(): Promise<void> {
  const config = loadConfig();
  const { TEMPORAL_NAMESPACE: namespace, TEMPORAL_TASK_QUEUE: taskQueue } = config;
  const databaseUrl = required(config, 'DATABASE_URL');
  const address = required(config, 'TEMPORAL_ADDRESS');
  const stopping = stopSignal();
  const log = pino({ level: config.LOG_LEVEL, base: { process: 'worker' } });
  installRuntime(log);
  const scanner = await createScanner(config, log);
  const db = createDatabase({
    url: databaseUrl,
    poolMax: config.DATABASE_POOL_MAX,
    applicationName: 'waymark worker',
    onError: (error) => log.warn({ reason: error.message }, 'a database connection was lost'),
  });
  await untilDatabase(db, stopping, log);
  const connection = await connectWorker(address, stopping, log);
  if (connection === undefined) return;

  // The relay calls through the worker's own connection: Temporal then hands a started workflow's first task straight back.
  const client = new Client({ connection, namespace });
  const prepare = (): Promise<void> => registerSearchAttributes(client, namespace, log);
  const reportPreparing = (error: Error): void =>
    log.warn({ reason: error.message }, 'search attributes could not be registered with Temporal');
  const temporal = createTemporal({ address, namespace, log, onBack: () => void prepare().catch(reportPreparing) });
  await temporal.start();
  const relay = createRelay({
    sql: db,
    databaseUrl,
    startScan: createScanStarter({ client, taskQueue, eager: true }),
    temporal: { isReachable: temporal.isReachable, isAway: isTemporalAway, prepare },
    log,
  });
  const listener = createListener({
    url: databaseUrl,
    channels: [channels.outbox],
    onNotification: relay.wake,
    onGap: relay.wake,
    log,
    applicationName: 'waymark relay listener',
  });
  await listener.start();

  const draining = new AbortController();
  const working = keepWorking({
    connection,
    namespace,
    taskQueue,
    activities: createScanActivities({ sql: db, scanner, log }),
    workflows: isBundleFresh()
      ? { workflowBundle: { codePath: workflowBundlePath } }
      : { workflowsPath: join(import.meta.dirname, 'workflows', 'index.ts') },
    signal: draining.signal,
    log,
    onRunning: () => {
      log.info({ taskQueue }, 'the worker takes tasks');
      reportReady();
    },
  });

  await aborted(stopping);
  log.info('the worker stops');
  await relay.stop();
  draining.abort();
  const clean = await working;
  await Promise.all([listener.close(), temporal.close(), scanner.close(), db.close()]);
  // An activity that did not end still holds the connection.
  if (clean) await connection.close();
}

function required(config: Config, name: 'DATABASE_URL' | 'TEMPORAL_ADDRESS'): string {
  const value = config[name];
  if (value === undefined) throw new ConfigError([`${name}: is required by the worker`]);
  return value;
}

/**
 * Waits until the database answers.
 * @throws SchemaError when its schema is older than this version needs.
 */
async function untilDatabase(db: Database, stopping: AbortSignal, log: Logger): Promise<void> {
  for (let isFirst = true; !stopping.aborted; isFirst = false) {
    try {
      return await requireSchema(db.pool);
    } catch (error) {
      if (error instanceof SchemaError) throw error;
      if (isFirst) log.warn({ reason: (error as Error).message }, 'the database does not answer; waiting for it');
      await setTimeout(retryDatabaseMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
}

const mistakes = [ConfigError, SchemaError, ThreatListError];
await runToExit(main, (error) => mistakes.some((mistake) => error instanceof mistake));
