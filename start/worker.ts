import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { createLog } from '#adapters/log.ts';
import { createDiskReader, measureDisk } from '#adapters/machine/disk.ts';
import { collectStartGarbage, limitHeapGrowth } from '#adapters/machine/heap.ts';
import { aborted, reportReady, untilSuccess } from '#adapters/machine/process.ts';
import { startMetrics } from '#adapters/metrics.ts';
import { createSealing } from '#adapters/sealing.ts';
import { createTemporalAccess } from '#adapters/temporal/access.ts';
import { deleteSchedule, ensureSchedule, hasSchedule } from '#adapters/temporal/schedules.ts';
import { createStartWorkflow } from '#adapters/temporal/start.ts';
import { isTemporalUnreachable, registerSearchAttributes } from '#adapters/temporal/client.ts';
import { createTemporal } from '#adapters/temporal/temporal.ts';
import { createPolling } from '#adapters/temporal/polling.ts';
import { connectWorker, installRuntime, keepWorking, WorkerFailedError } from '#adapters/temporal/worker.ts';
import { createScanner, webRiskKind } from '#adapters/threat-scanners/scanner.ts';
import { ThreatListError } from '#adapters/threat-scanners/threat-list.ts';
import { loadConfig, temporalFiles } from '#config/load.ts';
import { reasonOf } from '#core/errors/reason.ts';
import { takenQueues, workQueues } from '#core/temporal/task-queues.ts';
import { ThreatLists } from '#core/threats/threat-lists.ts';
import { createDatabase } from '#db/connection/database.ts';
import { openClickHouse } from '#db/connection/clickhouse/open-clickhouse.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import { createListener } from '#db/notifications/listener.ts';
import { channels } from '#db/notifications/notify.ts';
import { measureInstallation } from '#db/health/installation-metrics.ts';
import { measureDatabase } from '#db/health/metrics.ts';
import { createThreatListLoader } from '#db/threats/threat-lists.ts';
import { expectNoAnswers } from '#db/threats/verdicts.ts';
import { createRelay } from '#relay/relay.ts';
import { isBundleFresh, workflowBundlePath } from '#scripts/build/workflows.ts';
import { schedulesOf } from '#workflows/schedules.ts';
import { startOfThreatLists } from '#workflows/threats/lists.ts';
import { threatRescanScheduleId } from '#workflows/threats/rescan.ts';
import manifest from '../package.json' with { type: 'json' };
import { createActivities } from './activities.ts';
import {
  isOperatorError,
  makeDataFolder,
  measureThreatLists,
  namingPorts,
  openTracing,
  untilDatabase,
} from './shared.ts';
import { createWorkerHealth, measureWorkerHealth } from './worker-health.ts';
import { createHeartbeat } from './worker-heartbeat.ts';
import { workerVersionOf } from './worker-version.ts';

// Web Risk allows a project 100 look-ups a second by default, of which rescans take half. A scan is of forty URLs.
const webRiskScansPerSecond = 1;
// The database may be away too.
const removeRowMs = 2_000;
const prepareEveryMs = 10_000;

/** Runs Temporal's worker and the relay until `stopping` is aborted. @throws the errors that `isWorkerMistake` knows. */
export async function runWorker(stopping: AbortSignal): Promise<void> {
  const config = loadConfig(process.env, {
    files: ['WEBHOOK_CA_FILE', 'THREAT_LIST_FILE', ...temporalFiles],
    required: ['DATABASE_URL', 'TEMPORAL_ADDRESS'],
    by: 'the worker',
  });
  const { TEMPORAL_NAMESPACE: namespace, TEMPORAL_TASK_QUEUE: taskQueue, METRICS_PORT: metricsPort } = config;
  const { DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: address } = config;
  const access = createTemporalAccess(address, config);
  if (config.S3_BUCKET === undefined || config.SMTP_URL === undefined) makeDataFolder(config);
  const log = createLog({ level: config.LOG_LEVEL, process: 'worker' });
  const sdkPort = metricsPort === undefined ? undefined : metricsPort + 1;
  const tracing = await openTracing(config, 'waymark worker');
  const plugins = tracing === undefined ? [] : [tracing.plugin];
  limitHeapGrowth();
  installRuntime(log, sdkPort);
  const health = createWorkerHealth();
  // One scrape brings the metrics of Temporal's SDK too.
  const metrics = await namingPorts(config, ['METRICS_PORT'], () =>
    startMetrics(
      { host: config.METRICS_HOST, port: metricsPort },
      {
        include: `http://127.0.0.1:${sdkPort}/metrics`,
        probes: { '/healthz': health.whyHung, '/readyz': health.whyIdle },
      },
    ),
  );
  const { meter } = metrics;
  const lists = new ThreatLists();
  const { scanner, kind: scannerKind, listSource } = await createScanner(config, lists, log);
  const db = createDatabase({
    url: databaseUrl,
    poolMax: config.DATABASE_POOL_MAX,
    applicationName: 'waymark worker',
    statementTimeoutMs: config.WORKER_STATEMENT_TIMEOUT_MS,
    idleTransactionTimeoutMs: config.DATABASE_IDLE_TRANSACTION_TIMEOUT_MS,
    prefersIndexes: true,
    onError: (error) => log.warn({ reason: error.message }, 'a database connection was lost'),
  });
  measureDatabase(meter, { worker: db });
  const em = createEntityManager(db);
  measureInstallation(meter, em);
  const readDisk = createDiskReader(config.WAYMARK_DATA_DIR);
  measureDisk(meter, readDisk);
  const sealing = createSealing(config.SECRET_KEY ?? []);
  await untilDatabase({ db, stopping, log }, sealing);

  const listLoader = createThreatListLoader(em, lists, log);
  if (listSource !== undefined) {
    measureThreatLists(meter, lists, () => true);
    await listLoader.refresh();
  }

  // Before the connection to Temporal: a worker that waits for Temporal is alive.
  const version = workerVersionOf(config);
  const heartbeat = createHeartbeat({
    em,
    version: version?.buildId ?? manifest.version,
    // Nothing begins without a worker that takes workflows.
    takesTasks: () => health.getsNewWork() && config.WORKER_TASK_QUEUES.includes('workflows'),
    lastTaskAtMs: health.lastTaskAtMs,
    readDisk,
    scannerKind,
    log,
  });
  const connection = await connectWorker(access, stopping, log);
  if (connection === undefined) return heartbeat.stop();

  // The relay calls through the worker's own connection: Temporal then hands a started workflow's first task straight back.
  const client = new Client({ connection, namespace, plugins });
  const startWorkflow = createStartWorkflow({ client, taskQueue, isVersioned: version !== undefined });
  const prepare = async (): Promise<void> => {
    await registerSearchAttributes(client, namespace, log);
    // Those of the current version hold.
    if (version !== undefined && polling.routing() !== 'current') return;
    const scheduling = { ...config, usesThreatLists: listSource !== undefined };
    // An emptied service has lost the scans that waited in it. Before the schedule is made, so that a death in between repeats it.
    if (!(await hasSchedule(client, threatRescanScheduleId))) await expectNoAnswers(em);
    for (const { schedule, isOn } of schedulesOf(scheduling))
      await (isOn ? ensureSchedule(client, { ...schedule, taskQueue }) : deleteSchedule(client, schedule.id));
    // Without lists no URL is clean: the first ones must not wait for the schedule.
    if (listSource !== undefined && !lists.isFresh(Date.now())) await startWorkflow(startOfThreatLists(randomUUID()));
  };
  // Again and again: an operator may create the namespace after the worker's start.
  let preparing: Promise<unknown> | undefined;
  const prepareSoon = (): void => {
    preparing ??= untilSuccess(prepare, {
      stopping,
      everyMs: prepareEveryMs,
      onWaiting: (error) =>
        log.warn(
          { reason: reasonOf(error as Error) },
          'search attributes or schedules could not be registered with Temporal; the worker keeps trying',
        ),
    }).finally(() => (preparing = undefined));
  };
  const { WORKER_TASK_QUEUES: names } = config;
  const queues = takenQueues(taskQueue, workQueues);
  const taken = takenQueues(taskQueue, names, {
    mail: config.MAIL_PER_SECOND,
    'bulk-scans': scannerKind() === webRiskKind ? webRiskScansPerSecond : undefined,
  });
  const polling = createPolling({
    client,
    namespace,
    queues: queues.map((queue) => ({ ...queue, isTaken: taken.some((own) => own.taskQueue === queue.taskQueue) })),
    version,
    onCurrent: prepareSoon,
    log,
  });
  const temporal = createTemporal({ ...access, namespace, log, onBack: prepareSoon });
  await temporal.start();
  health.follow({ isTemporalReachable: temporal.isReachable, polling });
  measureWorkerHealth(meter, health, polling, version);

  const relay = createRelay({
    db,
    em,
    startWorkflow,
    scansPerDay: config.THREAT_SCANS_PER_DAY,
    temporal: { isReachable: temporal.isReachable, isAway: isTemporalUnreachable, prepare },
    log,
    meter,
  });
  const notifications = new EventEmitter();
  const listener = createListener({
    url: databaseUrl,
    channels: [channels.outbox, channels.deliveries, ...(listSource === undefined ? [] : [channels.threatLists])],
    onNotification(channel, payload) {
      if (channel === channels.outbox) relay.wake();
      else if (channel === channels.deliveries) for (const id of payload.split(',')) notifications.emit(id);
      else void listLoader.refresh();
    },
    onGap() {
      relay.wake();
      if (listSource !== undefined) void listLoader.refresh();
    },
    log,
    applicationName: 'waymark relay listener',
  });
  await listener.start();

  const clickhouse = await openClickHouse(config.CLICKHOUSE_URL, 'worker', config.WORKER_STATEMENT_TIMEOUT_MS);
  const draining = new AbortController();
  const { activities, close: closeActivities } = createActivities({
    config,
    db,
    em,
    clickhouse,
    log,
    meter,
    scanner,
    listSource,
    sealing,
    notifications,
    draining: draining.signal,
  });
  const working = keepWorking({
    connection,
    namespace,
    queues: taken,
    version,
    activities,
    plugins,
    // The bundle has no interceptors of traces.
    workflows:
      tracing === undefined && isBundleFresh()
        ? { workflowBundle: { codePath: workflowBundlePath } }
        : { workflowsPath: join(import.meta.dirname, '..', 'workflows', 'index.ts') },
    signal: draining.signal,
    log,
    onTask: health.onTask,
    onWaiting: health.onWaiting,
    onRunning({ identity }) {
      health.onRunning();
      polling.watch(identity);
      log.info({ taskQueue, queues: names }, 'the worker takes tasks');
      collectStartGarbage();
      // Without this beat readyz would say for up to five seconds that no worker takes tasks.
      void heartbeat.beat().then(reportReady);
    },
    onStopped: health.onStopped,
  });

  try {
    // A worker that fails ends the process, and another one begins: inside of this one the SDK may not let go of it.
    await Promise.race([aborted(stopping), working]);
  } catch (error) {
    // Its row would raise an alarm, beside that of the process which ends.
    await Promise.race([heartbeat.stop(), sleep(removeRowMs)]);
    throw error;
  }
  log.info('the worker stops');
  await relay.stop();
  draining.abort();
  const clean = await working;
  await polling.close();
  await heartbeat.stop();
  await closeActivities();
  await clickhouse?.close();
  listLoader.close();
  await Promise.all([listener.close(), temporal.close(), scanner.close(), db.close(), metrics.close()]);
  await tracing?.close();
  // An activity that did not end still holds the connection.
  if (clean) await connection.close();
}

/** Whether the message alone says why the worker ended. */
export function isWorkerMistake(error: unknown): boolean {
  return error instanceof ThreatListError || error instanceof WorkerFailedError || isOperatorError(error);
}
