import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { createClickActivities } from './activities/clicks/clicks.ts';
import { createDeleteActivities } from './activities/deletions/deletions.ts';
import { createDomainActivities } from './activities/domains/domains.ts';
import { createFileActivities } from './activities/files/files.ts';
import { createImportActivities } from './activities/imports/imports.ts';
import { createPumps } from './activities/webhooks/running-pumps.ts';
import { createRescanActivities } from './activities/threats/rescan.ts';
import { createScanActivities } from './activities/threats/scan.ts';
import { createVisitorKeyActivities } from './activities/clicks/visitor-keys.ts';
import { createWebhookActivities } from './activities/webhooks/webhooks.ts';
import { createDiskReader, measureDisk } from './adapters/machine/disk.ts';
import { createDomainDns } from './adapters/dns/dns.ts';
import { createGuardedHttp } from './adapters/http/guarded-http.ts';
import { keepHeapSmall } from './adapters/machine/heap.ts';
import { createLog } from './adapters/log.ts';
import { createMailer } from './adapters/mail.ts';
import { startMetrics } from './adapters/metrics.ts';
import { keepPrivate } from './adapters/machine/private-files.ts';
import { aborted, reportReady, runToExit, stopSignal, untilDone } from './adapters/machine/process.ts';
import { createScanner } from './adapters/threat-scanners/scanner.ts';
import { ThreatListError } from './adapters/threat-scanners/threat-list.ts';
import { ensureSchedule, threatRescanScheduleId } from './adapters/temporal/schedules.ts';
import { createSealing } from './adapters/sealing.ts';
import { createStorage } from './adapters/storage/storage.ts';
import { createTemporal, isTemporalAway, registerSearchAttributes } from './adapters/temporal/temporal.ts';
import { createTemporalAccess, TemporalAccessError } from './adapters/temporal/access.ts';
import { connectWorker, installRuntime, keepWorking } from './adapters/temporal/worker.ts';
import { ConfigError, loadConfig, temporalFiles } from './config/load.ts';
import { createDatabase } from './db/connection/database.ts';
import { createListener } from './db/connection/listener.ts';
import { measureDatabase, measureInstallation } from './db/health/metrics.ts';
import { holdPumpLock } from './db/webhooks/pump-lock.ts';
import { requireSchema, SchemaError } from './db/connection/migrate.ts';
import { requireSecretKey, SecretKeyError } from './db/connection/secret-fingerprint.ts';
import { channels } from './db/connection/notify.ts';
import { createDeleteStarter } from './relay/delete-starter.ts';
import { createWakeDomain } from './relay/domain-waker.ts';
import { createHeartbeat } from './relay/heartbeat.ts';
import { createImportStarter } from './relay/import-starter.ts';
import { createRelay } from './relay/relay.ts';
import { createThreatMailStarter } from './relay/scan-mails.ts';
import { createScanStarter } from './relay/scan-starter.ts';
import { createWakeWebhook } from './relay/webhook-waker.ts';
import { isBundleFresh, workflowBundlePath } from './scripts/bundle-workflows.ts';
import manifest from './package.json' with { type: 'json' };
import { siteOf } from './start/shared.ts';

/**
 * The worker process: Temporal's worker with its activities, and the relay that feeds it from the outbox. It waits for
 * the database and for Temporal where they are away, and survives their absences. Ends with 0 on SIGTERM or SIGINT, or
 * when its supervisor goes.
 */

async function main(): Promise<void> {
  const config = loadConfig(process.env, {
    files: ['WEBHOOK_CA_FILE', 'THREAT_LIST_FILE', ...temporalFiles],
    required: ['DATABASE_URL', 'TEMPORAL_ADDRESS'],
    by: 'the worker',
  });
  const { TEMPORAL_NAMESPACE: namespace, TEMPORAL_TASK_QUEUE: taskQueue } = config;
  const { DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: address } = config;
  const access = createTemporalAccess(address, config);
  const stopping = stopSignal();
  const log = createLog({ level: config.LOG_LEVEL, process: 'worker' });
  const { METRICS_PORT: metricsPort } = config;
  const sdkPort = metricsPort === undefined ? undefined : metricsPort + 1;
  keepHeapSmall();
  installRuntime(log, sdkPort);
  // One scrape brings the metrics of Temporal's SDK too.
  const metrics = await startMetrics(
    { host: config.METRICS_HOST, port: metricsPort },
    { include: `http://127.0.0.1:${sdkPort}/metrics` },
  );
  const scanner = await createScanner(config, log);
  const db = createDatabase({
    url: databaseUrl,
    poolMax: config.DATABASE_POOL_MAX,
    applicationName: 'waymark worker',
    statementTimeoutMs: config.WORKER_STATEMENT_TIMEOUT_MS,
    idleTransactionTimeoutMs: config.DATABASE_IDLE_TRANSACTION_TIMEOUT_MS,
    onError: (error) => log.warn({ reason: error.message }, 'a database connection was lost'),
  });
  measureDatabase(metrics.meter, { worker: db });
  measureInstallation(metrics.meter, db);
  const readDisk = createDiskReader(config.WAYMARK_DATA_DIR);
  measureDisk(metrics.meter, readDisk);
  const sealing = createSealing(config.SECRET_KEY ?? []);
  const checkDatabase = async (): Promise<void> => {
    await requireSchema(db.pool);
    await requireSecretKey(db, sealing);
  };
  const onWaiting = (error: unknown): void => log.warn({ err: error }, 'the database does not answer; waiting for it');
  await untilDone(checkDatabase, { stopping, isMistake, onWaiting });
  let isRunning = false;
  let isTemporalReachable = (): boolean => false;
  // Begun before Temporal is there: a worker that waits for it lives.
  const heartbeat = createHeartbeat({
    sql: db,
    version: manifest.version,
    takesTasks: () => isRunning && isTemporalReachable(),
    readDisk,
    log,
  });
  const connection = await connectWorker(access, stopping, log);
  if (connection === undefined) return heartbeat.stop();

  // The relay calls through the worker's own connection: Temporal then hands a started workflow's first task straight back.
  const client = new Client({ connection, namespace });
  const prepare = async (): Promise<void> => {
    await registerSearchAttributes(client, namespace, log);
    await ensureSchedule(client, { ...fileSweepSchedule, taskQueue });
    await ensureSchedule(client, { ...visitorKeysSchedule, taskQueue });
    await ensureSchedule(client, { ...threatRescanSchedule(config.THREAT_RESCAN_PER_DAY), taskQueue });
    if (config.CLICK_RETENTION_DAYS > 0) await ensureSchedule(client, { ...clickRetentionSchedule, taskQueue });
  };
  const reportPreparing = (error: Error): void =>
    log.warn({ reason: error.message }, 'search attributes or schedules could not be registered with Temporal');
  const temporal = createTemporal({ ...access, namespace, log, onBack: () => void prepare().catch(reportPreparing) });
  await temporal.start();
  isTemporalReachable = temporal.isReachable;
  const relay = createRelay({
    db,
    databaseUrl,
    startScan: createScanStarter({ client, taskQueue, eager: true }),
    scansPerDay: config.THREAT_SCANS_PER_DAY,
    wakeWebhook: createWakeWebhook({ client, taskQueue }),
    wakeDomain: createWakeDomain({ client, taskQueue }),
    startDelete: createDeleteStarter({ client, taskQueue }),
    startImport: createImportStarter({ client, taskQueue }),
    startThreatMail: createThreatMailStarter({ client, taskQueue }),
    temporal: { isReachable: temporal.isReachable, isAway: isTemporalAway, prepare },
    log,
    meter: metrics.meter,
  });
  const pumps = createPumps();
  const listener = createListener({
    url: databaseUrl,
    channels: [channels.outbox, channels.deliveries],
    onNotification: (channel, payload) => (channel === channels.outbox ? relay.wake() : pumps.onNotification(payload)),
    onGap: relay.wake,
    log,
    applicationName: 'waymark relay listener',
  });
  await listener.start();
  const pumpLock = await holdPumpLock({ url: databaseUrl, log, applicationName: 'waymark worker' });

  const http = createGuardedHttp({
    allowedCidrs: config.WEBHOOK_ALLOWED_CIDRS,
    dnsServers: config.DNS_SERVERS,
    caFile: config.WEBHOOK_CA_FILE,
  });
  const mailFolder = join(config.WAYMARK_DATA_DIR, 'mail');
  keepPrivate(mailFolder, log);
  const mailer = createMailer({
    smtpUrl: config.SMTP_URL,
    from: config.MAIL_FROM,
    folder: mailFolder,
    log,
  });
  const storage = createStorage(config);
  const site = siteOf(config);
  const draining = new AbortController();
  const working = keepWorking({
    connection,
    namespace,
    taskQueue,
    activities: {
      ...createScanActivities({ db, scanner, site, log, meter: metrics.meter }),
      ...createRescanActivities({ db, scanner, site, mailer, log, meter: metrics.meter }),
      ...createClickActivities({ db, keptDays: config.CLICK_RETENTION_DAYS }),
      ...createFileActivities({ db, storage }),
      ...createVisitorKeyActivities({ db }),
      ...createDeleteActivities({ db, storage }),
      ...createImportActivities({ db, site }),
      ...createDomainActivities({
        db,
        domainDns: createDomainDns({
          servers: config.DNS_SERVERS,
          edgeHostname: config.EDGE_HOSTNAME,
          edgeAddresses: config.EDGE_ADDRESSES,
        }),
        log,
        meter: metrics.meter,
      }),
      ...createWebhookActivities({
        db,
        http,
        sealing,
        mailer,
        gapsMs: config.WEBHOOK_RETRY_DELAYS.map((seconds) => seconds * 1_000),
        probeDelaysMs: config.WEBHOOK_PROBE_DELAYS.map((seconds) => seconds * 1_000),
        signatureHeader: config.WEBHOOK_SIGNATURE_HEADER,
        draining: draining.signal,
        processId: pumpLock.processId,
        pumps,
        log,
        meter: metrics.meter,
      }),
    },
    workflows: isBundleFresh()
      ? { workflowBundle: { codePath: workflowBundlePath } }
      : { workflowsPath: join(import.meta.dirname, 'workflows', 'index.ts') },
    signal: draining.signal,
    log,
    onRunning() {
      isRunning = true;
      log.info({ taskQueue }, 'the worker takes tasks');
      // Else readyz would say for seconds that none takes tasks.
      void heartbeat.beat().then(reportReady);
    },
    onStopped() {
      isRunning = false;
    },
  });

  await aborted(stopping);
  log.info('the worker stops');
  await relay.stop();
  draining.abort();
  const clean = await working;
  await heartbeat.stop();
  mailer.close();
  await Promise.all([
    http.close(),
    listener.close(),
    pumpLock.close(),
    temporal.close(),
    scanner.close(),
    db.close(),
    metrics.close(),
  ]);
  // An activity that did not end still holds the connection.
  if (clean) await connection.close();
}

const fileSweepSchedule = {
  id: 'file-sweep',
  workflowType: 'fileSweep',
  everyMs: 60 * 60 * 1_000,
  summary: 'Remove uploaded files that nothing shows',
};

const visitorKeysSchedule = {
  id: 'visitor-keys',
  workflowType: 'visitorKeys',
  everyMs: 60 * 60 * 1_000,
  summary: "Destroy the keys of past months' visitors",
};

const clickRetentionSchedule = {
  id: 'click-retention',
  workflowType: 'clickRetention',
  everyMs: 60 * 60 * 1_000,
  summary: 'Remove clicks that are too old',
};

const threatRescanSchedule = (perDay: number) => ({
  id: threatRescanScheduleId,
  workflowType: 'threatRescan',
  everyMs: (24 * 60 * 60 * 1_000) / perDay,
  summary: 'Ask again about all that links and domains lead to',
});

const mistakes = [ConfigError, SchemaError, SecretKeyError, TemporalAccessError, ThreatListError];

/** Whether whoever runs the process has to mend something. */
function isMistake(error: unknown): boolean {
  // The port of the metrics is taken.
  if ((error as NodeJS.ErrnoException).syscall === 'listen') return true;
  return mistakes.some((mistake) => error instanceof mistake);
}

await runToExit(main, isMistake);
