import { join } from 'node:path';
import type { Logger } from 'pino';
import { createClientName } from '#core/http/client-name.ts';
import type { DiskSpace } from '#core/lib/disk.ts';
import { noGeoipNote } from '#core/links/warnings/link-warnings.ts';
import { type Meter, noMeter } from '#core/lib/meter.ts';
import type { GeoLookup } from '#core/routing/geo-location.ts';
import type { ClickHouse } from '#db/connection/clickhouse/clickhouse.ts';
import type { Database } from '#db/connection/database.ts';
import { createListener } from '#db/notifications/listener.ts';
import { channels } from '#db/notifications/notify.ts';
import { createCaps } from './caps.ts';
import type { VisitRequest } from './http/exchange.ts';
import { createHttpServer, type Deadlines, type ListenAddress } from './http/server.ts';
import { createClientAddress } from './visitor/address.ts';
import { createEnricher } from './visitor/enricher.ts';
import { createVisitorKeys } from './visitor/keys.ts';
import { createJournal } from './journal/journal.ts';
import { createLookup } from './lookup/lookup.ts';
import { createReader } from './lookup/reader.ts';
import { createVisitCounts, measureEdge } from './metrics.ts';
import { createClientLimit } from '#core/limits/client-limit.ts';
import { createReports } from './reports.ts';
import { createSystemPaths } from './system-paths.ts';
import { createPasswordCookie } from './password/cookie.ts';
import { createPasswordAttempts } from './password/attempts.ts';
import { createEdgeReadiness } from './readiness.ts';
import { sendPage } from './pages/respond.ts';
import { createWarningPass } from './pages/warning-pass.ts';
import type { Site } from '#core/links/site.ts';
import { createShipper } from './shipper/shipper.ts';
import { parseTarget } from './request-target.ts';
import { createBotClicks } from './visit/bot-clicks.ts';
import { createVisitHandler } from './visit/visit.ts';

export interface EdgeOptions {
  /** The caller closes it after the edge. The shipper holds one connection as long as the edge runs. */
  database: Database;
  /** Gets the clicks in place of the database. The caller closes it after the edge. */
  clickhouse?: ClickHouse | undefined;
  /** For the connection that listens for changes. */
  databaseUrl: string;
  /** Folder under which journals are kept, in `journal/`. */
  dataDir: string;
  /** The edge's own keys, not those of SECRET_KEY: the first signs cookies, all verify them. */
  secretKeys: readonly string[];
  /** Addresses or CIDR ranges of proxies whose X-Forwarded-For counts. */
  trustedProxies: readonly string[];
  /** Whether a redirect waits until the disk has its click. */
  fsync: boolean;
  /** Most bytes of this process's journal on disk; 0: no limit. */
  journalMaxBytes?: number;
  /** Whether visitors come by https. */
  isHttps: boolean;
  /** The public address of a stored file. */
  fileUrl(key: string): string;
  /** The contacts in security.txt on every host that is served, as URIs. */
  securityContacts: readonly string[];
  /** Tells under which host links are looked up, and what their short URLs are. */
  site: Pick<Site, 'servedHost' | 'originUrl'>;
  /** Port for readiness and certificates, on the same address; unset: the port that visitors hit. */
  internalPort?: number;
  /** How often in a minute a client may ask for what does not exist. */
  notFoundPerMinute: number;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  geo?: GeoLookup;
  /** Reads the free space of the data folder's disk; unset: unknown. */
  readDisk?(): Promise<DiskSpace | undefined>;
  /** Fewer free bytes count as nearly full. */
  diskWarnBytes?: number;
  meter?: Meter;
  /** Unix time in milliseconds. */
  now?(): number;
  /** How long `close` may ship clicks; the next process ships the rest. */
  shipDeadlineMs?: number;
  /** How long a visit may wait for the database, before it is answered from memory or 503; unset: 1 s. */
  lookupTimeoutMs?: number;
  /** How long clients may take. */
  deadlines?: Partial<Deadlines>;
  /** Called when another machine has adopted the journal, taking this process for dead: visits that count get 503 from then on. */
  onLost?(): void;
}

export type Edge = ReturnType<typeof createEdge>;

const defaultDeadlines: Deadlines = { headersMs: 10_000, requestMs: 15_000, idleMs: 65_000 };
const shipDeadlineMs = 5_000;
const warnEveryMs = 60_000;
// Promised (5.10).
const botBytes = 32 * 1_024 * 1_024;

/** Creates the server that visitors hit, and opens its journal; nothing is opened on the network before `listen`. */
export function createEdge(options: EdgeOptions) {
  const { database, log, meter = noMeter, now = Date.now } = options;
  const root = join(options.dataDir, 'journal');
  const reader = createReader({ database, log, timeoutMs: options.lookupTimeoutMs });
  const lookup = createLookup({ reader, now, isStale: () => listener.isStale() });
  const listener = createListener({
    url: options.databaseUrl,
    channels: [channels.links, channels.caps],
    onNotification: (channel, payload) =>
      channel === channels.caps ? shipper.count(payload) : lookup.onChange(payload),
    onGap: () => lookup.onGap(),
    log,
    applicationName: 'waymark edge listener',
  });
  const [secretKey = ''] = options.secretKeys;
  const visitorKeys = createVisitorKeys({ sql: reader, now, log });
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  /** Where a proxy is missing in TRUSTED_PROXIES, all its visitors share one address, and its limits. */
  function onIgnoredProxy(peer: string): void {
    if (performance.now() - warnedAtMs < warnEveryMs) return;
    warnedAtMs = performance.now();
    log.warn({ peer }, 'X-Forwarded-For comes from a peer that TRUSTED_PROXIES does not name: it is ignored');
  }
  const enricher = createEnricher({ visitorKeys, geo: options.geo });
  const journal = createJournal({
    root,
    fsync: options.fsync,
    maxBytes: options.journalMaxBytes,
    onLost: options.onLost,
    onTrouble(error) {
      if (error === undefined) log.info('clicks can be written again');
      else log.error({ err: error }, 'clicks cannot be written; visits that count are answered 503');
    },
  });
  const shipper = createShipper({
    database,
    clickhouse: options.clickhouse,
    site: options.site,
    journal,
    root,
    log,
    now,
  });

  const isDatabaseUp = (): boolean => !reader.isUnreachable() && !listener.isStale();
  const readiness = createEdgeReadiness({
    notes: options.geo === undefined ? [noGeoipNote] : [],
    reader,
    database,
    journal,
    shipper,
    isDatabaseUp,
    isClickHouseUp: options.clickhouse?.isUp,
    readDisk: async () => options.readDisk?.(),
    diskWarnBytes: options.diskWarnBytes ?? 0,
    now,
  });
  const counts = createVisitCounts();
  const botClicks = createBotClicks({
    enricher,
    journal,
    waitingBytes: () => shipper.state().waitingBytes,
    maxWaitingBytes: Math.min(botBytes, (options.journalMaxBytes || Number.POSITIVE_INFINITY) / 4),
    counts,
  });
  measureEdge(meter, { counts, lookup, shipper, isDatabaseUp });

  const nameClient = createClientName(secretKey);
  const clientAddress = createClientAddress(options.trustedProxies, onIgnoredProxy);
  function addressOf({ socket, headers }: VisitRequest): string {
    const forwardedFor = headers['x-forwarded-for'];
    return clientAddress(socket.remoteAddress, Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor);
  }
  const { internalPort } = options;
  const hasInternalPort = internalPort !== undefined;
  const systemPaths = createSystemPaths({ readiness, lookup, addressOf, hasInternalPort });
  const visit = createVisitHandler({
    lookup,
    enricher,
    visitorKeys,
    caps: createCaps(reader),
    journal,
    botClicks,
    warningPass: createWarningPass(options.secretKeys),
    passwordCookie: createPasswordCookie(options.secretKeys, options.isHttps),
    passwordAttempts: createPasswordAttempts({ sql: reader, nameClient, now }),
    reports: createReports({ sql: reader, nameClient, now }),
    notFoundLimit: createClientLimit({ perWindow: options.notFoundPerMinute, windowMs: 60_000, now }),
    addressOf,
    fileUrl: options.fileUrl,
    servedHost: options.site.servedHost,
    securityContacts: options.securityContacts,
    answerSystemPath: systemPaths.onPublicPort,
    counts,
    log,
    now,
  });
  const deadlines = { ...defaultDeadlines, ...options.deadlines };
  const isHttps = options.isHttps;
  const server = createHttpServer({ handler: visit, counts, deadlines, isHttps, log });
  const internal = createHttpServer({
    handler(request, reply) {
      const target = parseTarget(request.url!);
      if (target === null || !systemPaths.onInternalPort(target, reply)) sendPage(reply, 'notFound');
    },
    counts: createVisitCounts(),
    deadlines,
    isHttps: false,
    log,
  });
  let internalAddress: string | undefined;

  return {
    /** Names of problems, as /readyz lists them; empty: none. */
    degraded: readiness.degraded,
    /** Address of the internal port, once it listens; undefined where there is none. */
    internalAddress: () => internalAddress,
    lookupCounts: lookup.counts,
    /** Starts to serve, with or without a database; returns the address, as `http://127.0.0.1:3001`. */
    async listen(address: ListenAddress): Promise<string> {
      await listener.start();
      shipper.start();
      if (internalPort !== undefined) internalAddress = await internal.listen({ ...address, port: internalPort });
      return server.listen(address);
    },
    /** Stops accepting, answers the requests under way, ships the journal and releases it. */
    async close(): Promise<void> {
      await Promise.all([server.close(), internal.close()]);
      readiness.close();
      await journal.close();
      const isShipped = await shipper.close(options.shipDeadlineMs ?? shipDeadlineMs);
      if (!isShipped) log.warn({ journal: journal.id }, 'clicks are left on disk; the next process ships them');
      visitorKeys.close();
      reader.close();
      await listener.close();
    },
  };
}
