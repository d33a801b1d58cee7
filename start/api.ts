import { join } from 'node:path';
import { createDiskReader } from '#adapters/machine/disk.ts';
import { collectAlone, collectStartGarbage } from '#adapters/machine/heap.ts';
import { createDomainDns } from '#adapters/dns/dns.ts';
import { createBreachedPasswords } from '#adapters/breached-passwords.ts';
import { createGuardedFetch } from '#adapters/http/guarded-fetch.ts';
import { createOidcClient } from '#adapters/oidc.ts';
import { createSealing } from '#adapters/sealing.ts';
import { createStorage } from '#adapters/storage/storage.ts';
import { createStorageCheck } from '#adapters/storage/storage-check.ts';
import { createLocalLookup, listsKind } from '#adapters/threat-scanners/scanner.ts';
import { createLocalAnswers } from '#commands/threats/local-answers.ts';
import { createTemporal } from '#adapters/temporal/temporal.ts';
import { createTemporalAccess } from '#adapters/temporal/access.ts';
import { createApi } from '#api/app.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { reasonOf } from '#core/errors/reason.ts';
import { createReadiness } from '#api/health/readiness.ts';
import { createKeyUses } from '#api/auth/key-uses.ts';
import { createRequestLog } from '#api/request-log/request-log.ts';
import { createLimiter } from '#api/limits/rate-limiter.ts';
import { createShares } from '#api/shares.ts';
import { createScanLag, createVerdictWaiter } from '#api/short-link/verdict-waiter.ts';
import { createClientName } from '#core/http/client-name.ts';
import { noGeoipNote } from '#core/links/warnings/link-warnings.ts';
import { ThreatLists } from '#core/threats/threat-lists.ts';
import { noteCurrentStore } from '#db/clicks/stores/current-store.ts';
import { watchWorkerScanners } from '#db/health/worker-scanners.ts';
import type { ClickHouse } from '#db/connection/clickhouse/clickhouse.ts';
import type { Database } from '#db/connection/database.ts';
import { openClickHouse } from '#db/connection/clickhouse/open-clickhouse.ts';
import { createListener } from '#db/notifications/listener.ts';
import { measureInstallation } from '#db/health/installation-metrics.ts';
import { channels } from '#db/notifications/notify.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { createDatabaseRoom } from '#db/health/disk-room.ts';
import { createStatistics, type Statistics } from '#db/stats/statistics.ts';
import { createThreatListLoader } from '#db/threats/threat-lists.ts';
import manifest from '../package.json' with { type: 'json' };
import { createGuardedClient } from './guarded-clients.ts';
import {
  addressOf,
  makeDataFolder,
  measureThreatLists,
  openTracing,
  type Parts,
  type Service,
  siteOf,
  untilDatabase,
} from './shared.ts';

// A person waits for it.
const clientDocumentTimeoutMs = 5_000;

/** Serves API clients, once the database answers. */
export async function serveApi(parts: Parts): Promise<Service> {
  collectAlone();
  const { config, databaseUrl, secretKeys, db, log, meter } = parts;
  if (config.S3_BUCKET === undefined) makeDataFolder(config);
  const tracing = await openTracing(config, 'waymark api');
  const site = siteOf(config);
  // The edges open the databases; here it counts that there are some.
  const hasGeoip = config.GEOIP_DB.length > 0;
  const sealing = createSealing(secretKeys);
  await untilDatabase(parts, sealing, { platformHost: site.platformHost });
  const onError = (error: unknown): void => log.warn({ err: error }, 'a statement in the background failed');
  const temporal = createTemporal({
    // The configuration of a process that serves the API has one.
    ...createTemporalAccess(config.TEMPORAL_ADDRESS!, config),
    namespace: config.TEMPORAL_NAMESPACE,
    log,
    plugins: tracing === undefined ? [] : [tracing.plugin],
  });
  const em = createEntityManager(db);
  const keyUses = createKeyUses(em, onError);
  const requestLog = config.REQUEST_LOG_DAYS === 0 ? undefined : createRequestLog({ em, onError, meter });
  const verdictWaiter = createVerdictWaiter({
    em,
    isLagging: createScanLag({ em, isTemporalReachable: temporal.isReachable }),
    onError,
    meter,
  });
  const lists = new ThreatLists();
  const listLoader = createThreatListLoader(em, lists, log);
  const refreshLists = async (kind: string | undefined): Promise<void> => {
    if (kind === listsKind) await listLoader.refresh();
  };
  const scanners = await watchWorkerScanners({ em, log, onChange: (kind) => void refreshLists(kind) });
  await refreshLists(scanners.kind());
  const hasLists = (): boolean => scanners.kind() === listsKind;
  measureThreatLists(meter, lists, hasLists);
  const clickhouse = await openClickHouse(config.CLICKHOUSE_URL, 'api', config.API_STATEMENT_TIMEOUT_MS);
  // A database that is full, or takes no writes, still serves what is there.
  await noteCurrentStore(em, clickhouse === undefined ? 'postgresql' : 'clickhouse').catch(onError);
  const room = createDatabaseRoom({ db });
  const storage = createStorage(config);
  const isStorageUp = createStorageCheck(storage);
  // The first check begins with the start.
  isStorageUp();
  const readiness = createReadiness({
    sql: db,
    isTemporalReachable: temporal.isReachable,
    isClickHouseUp: clickhouse?.ping,
    isStorageUp,
    isDatabaseFull: room.isFull,
    readDisk: createDiskReader(config.WAYMARK_DATA_DIR),
    diskWarnBytes: config.DISK_FREE_WARN_BYTES,
    describeStaleLists: () => (hasLists() ? lists.describeStale(Date.now()) : undefined),
    now: Date.now,
  });
  measureInstallation(meter, em);
  meter.gauge('waymark_api_temporal_up', 'Whether the API reaches Temporal.', () => Number(temporal.isReachable()));
  meter.gauge('waymark_api_database_full', "Whether the database's machine has no room to write.", () =>
    Number(room.isFull()),
  );
  const listener = createListener({
    url: databaseUrl,
    channels: [channels.verdicts, channels.journals, channels.threatLists],
    onNotification(channel, payload) {
      if (channel === channels.verdicts) verdictWaiter.onVerdicts(payload);
      else if (channel === channels.threatLists) void refreshLists(scanners.kind());
      else readiness.onJournalLag(payload);
    },
    onGap() {
      verdictWaiter.onGap();
      void refreshLists(scanners.kind());
    },
    log,
    applicationName: 'waymark api listener',
  });
  await Promise.all([temporal.start(), listener.start()]);
  const uiUrl = config.TEMPORAL_UI_URL?.replace(/\/+$/, '') ?? null;
  const webhooks = createGuardedClient('webhooks', config);
  const pages = createGuardedClient('previews', config);
  const organizationOidc = createGuardedClient('organizationOidc', config);
  const operator = createGuardedClient('operator', config);
  const clientDocuments = createGuardedClient('clientDocuments', config);
  const images = late(['clean', 'thumbnail', 'icon'], async () =>
    (await import('#adapters/images/images.ts')).createImages(),
  );
  const lookUp = await createLocalLookup(config, lists, scanners.kind, log);
  const app = await createApi({
    db,
    em,
    statistics: await statisticsOf(clickhouse, db, em),
    site,
    keyUses,
    requestLog,
    shares: createShares(config.DATABASE_POOL_MAX),
    limiter: createLimiter({
      sql: db,
      limits: { perSecond: config.RATE_LIMIT_PER_SECOND, perMinute: config.RATE_LIMIT_PER_MINUTE },
    }),
    nameClient: createClientName(secretKeys[0]!),
    isBreached: createBreachedPasswords({
      file: config.BREACHED_PASSWORDS_FILE,
      service:
        config.BREACHED_PASSWORDS_URL === undefined
          ? undefined
          : { url: config.BREACHED_PASSWORDS_URL, http: operator },
      onError: (err) => log.warn({ err }, 'a new password could not be looked up among breached ones'),
    }),
    sealing,
    webhookSignatureHeader: config.WEBHOOK_SIGNATURE_HEADER,
    webhookRetryGapsMs: config.WEBHOOK_RETRY_DELAYS.map((seconds) => seconds * 1_000),
    verdictWaiter,
    findLocalAnswers: createLocalAnswers({ em, lookUp, perDay: config.THREAT_SCANS_PER_DAY }),
    domainDns: createDomainDns({
      servers: config.DNS_SERVERS,
      edgeHostname: config.EDGE_HOSTNAME,
      edgeAddresses: config.EDGE_ADDRESSES,
    }),
    domainWorkflow: late(['check'], async () => {
      const { createDomainWorkflow } = await import('#api/domain/workflow.ts');
      return createDomainWorkflow({
        client: await temporal.client(),
        taskQueue: config.TEMPORAL_TASK_QUEUE,
        isReachable: temporal.isReachable,
        onError: (error) => log.warn({ reason: reasonOf(error) }, 'a domain was checked without its workflow'),
      });
    }),
    http: webhooks,
    storage,
    images,
    siteIcons: late(['find'], async () => {
      const { createSiteIcons } = await import('#adapters/page-preview/site-icons.ts');
      return createSiteIcons({ http: pages, images });
    }),
    pagePreviews: late(['look'], async () => {
      const { createPagePreviews } = await import('#adapters/page-preview/page-preview.ts');
      return createPagePreviews({ http: pages, images, embedder: new URL(site.originUrl(site.platformHost, '')) });
    }),
    qrCodes: late(['drawSvg', 'drawPng'], async () => (await import('#adapters/images/qr-code.ts')).createQrCodes()),
    health: { degraded: readiness.degraded, notes: hasGeoip ? [] : [noGeoipNote] },
    journalLagMs: readiness.journalLagMs,
    workflows: late(['list', 'countViews', 'signal', 'serverVersion'], async () => {
      const { createWorkflows } = await import('#adapters/temporal/workflows.ts');
      const { TEMPORAL_NAMESPACE: namespace, TEMPORAL_TASK_QUEUE: taskQueue } = config;
      return createWorkflows({ client: await temporal.client(), namespace, taskQueue, uiUrl: uiUrl ?? undefined });
    }),
    clock: () => new Date(),
    baseUrl: config.BASE_URL,
    consoleFolder: join(import.meta.dirname, '../dist/console'),
    siteFolder: join(import.meta.dirname, '../dist/site'),
    threatScanWaitMs: config.THREAT_SCAN_WAIT_MS,
    importBytesPerDay: config.IMPORT_BYTES_PER_DAY,
    hasGeoip,
    installation: {
      version: manifest.version,
      hasMail: config.SMTP_URL !== undefined,
      supportContact: config.SUPPORT_CONTACT ?? null,
      temporalUiUrl: uiUrl && `${uiUrl}/namespaces/${encodeURIComponent(config.TEMPORAL_NAMESPACE)}`,
    },
    oidc: {
      installation: identityProvider(config),
      trusted: createOidcClient({ http: operator, trustsEmails: config.OIDC_TRUST_EMAILS }),
      guarded: createOidcClient({ http: organizationOidc }),
    },
    fetchClientDocument: createGuardedFetch(clientDocuments, clientDocumentTimeoutMs),
    needsStaffFactor: config.STAFF_SECOND_FACTOR === 'required',
    trustedProxies: config.TRUSTED_PROXIES,
    corsOrigins: config.CORS_ORIGINS,
    securityContacts: config.SECURITY_CONTACT,
    logger: log,
    meter,
    isTraced: tracing !== undefined,
  });
  await app.ready();
  collectStartGarbage();
  const address = await app.listen(addressOf(config, config.PORT));
  log.info({ address }, 'the API serves');
  return {
    async close() {
      room.close();
      scanners.close();
      listLoader.close();
      await app.close();
      await Promise.all([
        webhooks.close(),
        pages.close(),
        organizationOidc.close(),
        clientDocuments.close(),
        operator.close(),
        keyUses.flush(),
        requestLog?.flush(),
        listener.close(),
        temporal.close(),
        clickhouse?.close(),
      ]);
      await tracing?.close();
    },
  };
}

async function statisticsOf(clickhouse: ClickHouse | undefined, db: Database, em: EntityManager): Promise<Statistics> {
  if (clickhouse === undefined) return createStatistics(db);
  const { createClickHouseStatistics } = await import('#db/stats/clickhouse/statistics.ts');
  return createClickHouseStatistics(clickhouse, em);
}

function identityProvider(config: Parts['config']): ApiDependencies['oidc']['installation'] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return { name: config.OIDC_NAME, provider: { issuer, clientId, clientSecret } };
}

/**
 * The named methods of a part with large libraries, which is opened at its first use: an API that only makes and lists links saves some
 * 30 MB (`bench small`).
 */
function late<Name extends string, T extends Record<Name, (...args: never[]) => Promise<unknown>>>(
  names: readonly Name[],
  open: () => Promise<T>,
): Pick<T, Name> {
  let opened: Promise<T> | undefined;
  const methods = names.map((name) => [name, async (...args: never[]) => (await (opened ??= open()))[name](...args)]);
  return Object.fromEntries(methods) as Pick<T, Name>;
}
