import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { pino } from 'pino';
import { inject } from 'vitest';
import { createGuardedFetch } from '#adapters/http/guarded-fetch.ts';
import { createOidcClient } from '#adapters/oidc.ts';
import { createGuardedHttp } from '#adapters/http/guarded-http.ts';
import { createPagePreviews } from '#adapters/page-preview/page-preview.ts';
import { createSiteIcons } from '#adapters/page-preview/site-icons.ts';
import { createImages } from '#adapters/images/images.ts';
import { createQrCodes } from '#adapters/images/qr-code.ts';
import { createSealing } from '#adapters/sealing.ts';
import { createFolderStorage } from '#adapters/storage/folder.ts';
import { createDomainDns } from '#adapters/dns/dns.ts';
import { createApi } from '#api/app.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { createKeyUses, type KeyUses } from '#api/auth/key-uses.ts';
import { createRequestLog, type RequestLog } from '#api/request-log/request-log.ts';
import { noMeter } from '#core/lib/meter.ts';
import { createLimiter } from '#api/limits/rate-limiter.ts';
import { createShares } from '#api/shares.ts';
import { createVerdictWaiter } from '#api/short-link/verdict-waiter.ts';
import { findNoLocalAnswers } from './local-answers.ts';
import { ensurePlatformDomain } from '#db/domains/platform.ts';
import { createClientName } from '#core/http/client-name.ts';
import { createSite } from '#core/links/site.ts';
import { defaultRetryGapsMs } from '#core/webhooks/retries.ts';
import { createDatabase, type Database } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import type { RateLimits } from '#db/rate-limits.ts';
import { createStatistics } from '#db/stats/statistics.ts';
import { createOrganization, type TestOrganization } from './factories.ts';
import { type Late, readLate, useFixture } from './fixture.ts';
import { createTestDatabase, patientMs } from './stack.ts';

/** An answer, its body parsed. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[] | number | undefined>;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  body: any;
}

/** The API over a database of its own, called without a port. */
export interface TestApi extends AsyncDisposable {
  app: FastifyInstance;
  db: Database;
  em: EntityManager;
  databaseUrl: string;
  /** A premium organization; `call` uses its key. */
  organization: TestOrganization;
  keyUses: KeyUses;
  /** Calls are kept with `logsRequests` alone. */
  requestLog: RequestLog;
  /** How many commits have notified the relays. */
  wakes: number;
  call(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT',
    url: string,
    body?: unknown,
    options?: InjectOptions,
  ): Promise<Answer>;
}

/** SECRET_KEY of the tests' API. */
export const testSecretKey = 'a key of the tests, long enough to be one';
const nowhere = '127.0.0.1:1';

/** The site of the tests: links on http://localhost:3001. */
export const testSite = createSite({ scheme: 'http', platformDomain: 'localhost:3001' });

/** Dependencies that replace those of the tests' API. */
export interface TestApiOptions extends Partial<ApiDependencies> {
  /** Unless given, so many calls that no test meets a limit. */
  limits?: RateLimits;
  /** An API whose database and organization this one shares; it must outlive this one. */
  besides?: Pick<TestApi, 'databaseUrl' | 'organization'>;
  /** Called for each commit that wakes the relays. */
  onCommitted?: () => void;
  /** Whether calls are kept in the request log. */
  logsRequests?: boolean;
  /** The end of the run drops the database. */
  isShared?: boolean;
}

let shared: Promise<TestApi> | undefined;

/**
 * The API that the files of a test process share, as starting one takes as long as some thirty calls; each file has an
 * organization of its own in it. A file that looks at rows of every organization, or of none, uses `useOwnTestApi`.
 */
export function useTestApi(): TestApi {
  return useFixture(async () => {
    const api = await (shared ??= startSharedApi());
    api.organization = await createOrganization(api.db);
    return api;
  });
}

/** It ends with its process; each file that used it frees its names. */
async function startSharedApi(): Promise<TestApi> {
  const api = await createTestApi({ isShared: true });
  // Schemas get their names once in a process: once another API has described itself, this one no longer could.
  await api.app.inject('/doc');
  return Object.assign(api, { [Symbol.asyncDispose]: () => freeNames(api.db) });
}

/** Frees every name that an installation has once: the slugs of its platform domain, hosts, people's addresses. */
async function freeNames(db: Database): Promise<void> {
  await db.query('update short_links set deleted_at = now() where deleted_at is null');
  await db.query('update domains set deleted_at = now() where organization_id is not null and deleted_at is null');
  await db.query('update users set deleted_at = now() where deleted_at is null');
  await db.query('delete from oidc_providers');
  await db.query('delete from taken_down_names');
}

/** Builds the API for the tests of a file, over a database of its own. */
export function useOwnTestApi(options: Late<TestApiOptions> = {}): TestApi {
  return useFixture(async () => createTestApi(await readLate(options)));
}

/** Builds the API as `server.ts` does, over a database of its own; answers are checked against their schemas. */
export async function createTestApi({
  limits,
  besides,
  onCommitted,
  isShared,
  logsRequests = false,
  ...overrides
}: TestApiOptions = {}): Promise<TestApi> {
  const database = besides === undefined ? await createTestDatabase({ isShared }) : undefined;
  const databaseUrl = besides?.databaseUrl ?? database!.url;
  const db = createDatabase({
    connectTimeoutMs: patientMs,
    url: databaseUrl,
    onCommitted() {
      api.wakes += 1;
      onCommitted?.();
    },
  });
  const em = createEntityManager(overrides.db ?? db);
  await ensurePlatformDomain(db, testSite.platformHost);
  const filesDir = await mkdtemp(join(inject('stack').folder, 'files-'));
  const fail = (error: unknown): void => {
    throw error;
  };
  const api = {
    wakes: 0,
    db,
    em,
    databaseUrl,
    organization: besides?.organization ?? (await createOrganization(db)),
  };
  const keyUses = overrides.keyUses ?? createKeyUses(em, fail);
  const requestLog = createRequestLog({ em, onError: fail, meter: noMeter });
  const http = createGuardedHttp({ dnsServers: [nowhere], allowedCidrs: ['127.0.0.0/8', '::1'] });
  const images = createImages();
  const pages = createGuardedHttp({
    dnsServers: [nowhere],
    allowedCidrs: ['127.0.0.0/8'],
    allowHttp: true,
    maxBodyBytes: 512 * 1024,
  });
  const app = await createApi({
    db,
    em,
    statistics: createStatistics(overrides.db ?? db),
    site: testSite,
    keyUses,
    requestLog: logsRequests ? requestLog : undefined,
    shares: createShares(10),
    limiter: createLimiter({ sql: db, limits: limits ?? { perSecond: 1_000_000, perMinute: 1_000_000 } }),
    nameClient: createClientName(testSecretKey),
    isBreached: async () => false,
    sealing: createSealing([testSecretKey]),
    webhookSignatureHeader: 'X-Service-Signature',
    webhookRetryGapsMs: defaultRetryGapsMs,
    verdictWaiter: createVerdictWaiter({ em, isLagging: async () => true, onError: fail }),
    findLocalAnswers: findNoLocalAnswers,
    // No name server listens at this address, so no name resolves.
    domainDns: createDomainDns({ servers: [nowhere] }),
    domainWorkflow: { check: async () => undefined },
    http,
    storage: createFolderStorage(filesDir),
    images,
    qrCodes: createQrCodes(),
    siteIcons: createSiteIcons({ http: pages, images }),
    pagePreviews: createPagePreviews({ http: pages, images, embedder: new URL('https://sho.rt/') }),
    health: { degraded: async () => ({ isUp: true, names: [] }) },
    journalLagMs: () => 0,
    workflows: {
      list: async () => ({ items: [], nextCursor: null }),
      countViews: async () => [],
      signal: async () => {},
      serverVersion: async () => null,
    },
    clock: () => new Date(),
    baseUrl: 'http://localhost:3000',
    consoleFolder: '/nonexistent',
    siteFolder: '/nonexistent',
    threatScanWaitMs: 0,
    importBytesPerDay: 1_000_000_000,
    hasGeoip: true,
    installation: {
      version: '1.2.3',
      hasMail: true,
      supportContact: 'mailto:help@waymark.example',
      temporalUiUrl: 'http://localhost:8233',
    },
    oidc: { trusted: createOidcClient({ http: pages }), guarded: createOidcClient({ http: pages }) },
    fetchClientDocument: createGuardedFetch(pages, 5_000),
    needsStaffFactor: false,
    trustedProxies: [],
    securityContacts: ['mailto:security@waymark.example'],
    logger: pino({ level: 'silent' }),
    checkAnswers: true,
    ...overrides,
  });
  return Object.assign(api, {
    app,
    keyUses,
    requestLog,
    async call(method: 'GET', url: string, body?: unknown, options: InjectOptions = {}): Promise<Answer> {
      const response = await app.inject({
        method,
        url,
        ...(body === undefined ? {} : { payload: body as object }),
        ...options,
        headers: withoutUndefined({ 'x-api-key': api.organization.key, ...options.headers }),
      });
      return { status: response.statusCode, headers: response.headers, body: response.json() };
    },
    async [Symbol.asyncDispose]() {
      await app.close();
      await http.close();
      await pages.close();
      await keyUses.flush();
      await requestLog.flush();
      await db.close();
      await database?.[Symbol.asyncDispose]();
      await rm(filesDir, { recursive: true, force: true });
    },
  });
}

function withoutUndefined(
  headers: Record<string, string | string[] | number | undefined>,
): Record<string, string | string[] | number> {
  return Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
