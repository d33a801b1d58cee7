import { join } from 'node:path';
import { fastify, type FastifyInstance, type FastifyReply } from 'fastify';
import { type Meter, noMeter } from '../core/meter.ts';
import type { Database } from '../db/database.ts';
import { createListener } from '../db/listener.ts';
import { channels } from '../db/notify.ts';
import { createCaps } from './caps.ts';
import { createEnricher, type GeoLookup } from './enrich/index.ts';
import { createJournal } from './journal/journal.ts';
import { createLookup } from './lookup/index.ts';
import { createReader } from './lookup/reader.ts';
import { createVisitCounts, measureEdge, type VisitCounts } from './measure.ts';
import { createEdgeReadiness } from './readiness.ts';
import { answerBadRequest, pages, sendNoIcon, sendPage, sendRobots } from './respond/index.ts';
import { createShipper } from './shipper/shipper.ts';
import { createVisitHandler } from './visit.ts';

/** What the edge says to the log; a pino logger fits. */
export interface EdgeLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Settings of `createEdge`. */
export interface EdgeOptions {
  /** Closed by whoever opened it, after the edge. One connection is the shipper's, for as long as the edge runs. */
  database: Database;
  /** Of the connection that listens for changes. */
  databaseUrl: string;
  /** Folder under which journals are kept, in `journal/`. */
  dataDir: string;
  /** The first one keys the hashes of visitors. */
  secretKeys: readonly string[];
  /** Addresses or CIDR ranges whose X-Forwarded-For counts. */
  trustedProxies: readonly string[];
  /** Whether a redirect waits until the disk has its click. */
  fsync: boolean;
  log: EdgeLog;
  geo?: GeoLookup;
  meter?: Meter;
  /** Unix time in milliseconds. */
  now?(): number;
  /** How long `close` may take to ship what is on disk; the rest is for the next process. */
  shipDeadlineMs?: number;
}

/** The server that visitors hit. */
export interface Edge {
  readonly app: FastifyInstance;
  /** Begins to serve, with or without a database; returns the address, as `http://127.0.0.1:3001`. */
  listen(address: { host: string; port: number }): Promise<string>;
  /** What is not as it should be; empty: all is well. */
  degraded(): string[];
  /** Stops accepting, answers what is under way, ships the journal and releases it. */
  close(): Promise<void>;
}

const maxHeaderBytes = 16 * 1_024;
const headersTimeoutMs = 10_000;
const requestTimeoutMs = 15_000;
const idleTimeoutMs = 65_000;
const shipDeadlineMs = 5_000;

/** Puts the edge together; nothing is opened on the network before `listen`. */
export function createEdge(options: EdgeOptions): Edge {
  const { database, log, meter = noMeter, now = Date.now } = options;
  const root = join(options.dataDir, 'journal');
  const reader = createReader({ database, log });
  const lookup = createLookup({ reader, now, isDeaf: () => listener.isDeaf() });
  const listener = createListener({
    url: options.databaseUrl,
    channels: [channels.links],
    onNotification: (_channel, payload) => lookup.onChange(payload),
    onGap: () => lookup.onGap(),
    log: { info: (message) => log.info({}, message), warn: (details, message) => log.warn(details, message) },
    applicationName: 'waymark edge listener',
  });
  const [secretKey = ''] = options.secretKeys;
  const enricher = createEnricher({ secretKey, trustedProxies: options.trustedProxies, geo: options.geo });
  const journal = createJournal({ root, fsync: options.fsync });
  const shipper = createShipper({ database, journal, root, log, now });

  const isDatabaseUp = (): boolean => !reader.isAway() && !listener.isDeaf();
  const readiness = createEdgeReadiness({ reader, database, journalId: journal.id, shipper, isDatabaseUp, now });
  const counts = createVisitCounts();
  measureEdge(meter, { counts, lookup, shipper, isDatabaseUp });

  const ownPaths = new Map<string, (reply: FastifyReply) => void>([
    ['/.well-known/waymark/healthz', (reply) => void reply.header('cache-control', 'no-store').send({ status: 'ok' })],
    [
      '/.well-known/waymark/readyz',
      (reply) => void readiness.report().then((report) => reply.header('cache-control', 'no-store').send(report)),
    ],
    ['/robots.txt', sendRobots],
    ['/favicon.ico', sendNoIcon],
  ]);
  const visit = createVisitHandler({
    lookup,
    enricher,
    caps: createCaps(reader),
    journal,
    counts,
    log,
    now,
    answerOwnPath(path, reply) {
      const send = ownPaths.get(path);
      send?.(reply);
      return send !== undefined;
    },
  });
  const app = createApp(visit, counts, log);

  return {
    app,
    degraded: readiness.degraded,
    async listen(address) {
      await listener.start();
      shipper.start();
      return app.listen(address);
    },
    async close() {
      await app.close();
      readiness.close();
      await journal.close();
      const isShipped = await shipper.close(options.shipDeadlineMs ?? shipDeadlineMs);
      if (!isShipped) log.warn({ journal: journal.id }, 'clicks are left on disk; the next process ships them');
      reader.close();
      await listener.close();
    },
  };
}

/** The HTTP server: every path goes to one handler, which reads the request target itself. */
function createApp(
  visit: ReturnType<typeof createVisitHandler>,
  { visits }: VisitCounts,
  log: EdgeLog,
): FastifyInstance {
  const app = fastify({
    logger: false,
    genReqId: () => '',
    // Paths are slugs of any script; the router's own decoding would answer 400 or 404 of its own.
    rewriteUrl: () => '/',
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: idleTimeoutMs,
    http: { maxHeaderSize: maxHeaderBytes, headersTimeout: headersTimeoutMs },
    clientErrorHandler: answerBadRequest,
  });
  // Bodies are of no interest: they are neither read nor refused for their type.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _body, done) => done(null));
  app.route({ method: ['GET', 'HEAD'], url: '/', handler: visit });
  app.setNotFoundHandler((_request, reply) => {
    visits.methodNotAllowed += 1;
    sendPage(reply, pages.methodNotAllowed);
  });
  app.setErrorHandler((error, _request, reply) => {
    visits.failed += 1;
    log.error({ err: error }, 'a request failed');
    sendPage(reply, pages.failed);
  });
  return app;
}
