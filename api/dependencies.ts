import type { FastifyBaseLogger } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { GuardedFetch } from '#adapters/http/guarded-fetch.ts';
import type { GuardedHttp } from '#adapters/http/guarded-http.ts';
import type { Images } from '#adapters/images/images.ts';
import type { QrCodes } from '#adapters/images/qr-code.ts';
import type { PagePreviews } from '#adapters/page-preview/page-preview.ts';
import type { SiteIcons } from '#adapters/page-preview/site-icons.ts';
import type { Workflows } from '#adapters/temporal/workflows.ts';
import type { DomainDns } from '#core/domains/dns.ts';
import type { FindLocalAnswers } from '#commands/threats/local-answers.ts';
import type { Meter } from '#core/lib/meter.ts';
import type { IsBreached } from '#core/accounts/breached-passwords.ts';
import type { OidcClient, OidcProvider } from '#core/organizations/oidc.ts';
import type { Sealing } from '#core/secrets/sealing.ts';
import type { Site } from '#core/links/site.ts';
import type { Storage } from '#core/files/storage.ts';
import type { Database } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { Statistics } from '#db/stats/statistics.ts';
import type { DomainWorkflow } from './domain/workflow.ts';
import type { HealthDependencies } from './health/routes.ts';
import type { KeyUses } from './auth/key-uses.ts';
import type { RequestLog } from './request-log/request-log.ts';
import type { Limiter } from './limits/rate-limiter.ts';
import type { Shares } from './shares.ts';
import type { VerdictWaiter } from './short-link/verdict-waiter.ts';

/** What sessions tell of the installation besides what other dependencies hold. */
interface Installation {
  version: string;
  /** Whether mail is sent (SMTP_URL). */
  hasMail: boolean;
  /** Where to ask the operator: a URI (SUPPORT_CONTACT). */
  supportContact: string | null;
  /** Shown to staff alone. */
  temporalUiUrl: string | null;
}

interface Oidc {
  /** The provider of the installation (OIDC_ISSUER). */
  installation?: { name: string; provider: OidcProvider } | undefined;
  /** Asks the provider of the installation, wherever it is. */
  trusted: OidcClient;
  /** Asks providers that organizations name, at public addresses alone. */
  guarded: OidcClient;
}

export interface ApiDependencies {
  db: Database;
  /** Each request gets a fork of it. */
  em: EntityManager;
  statistics: Statistics;
  site: Site;
  keyUses: KeyUses;
  /** Keeps calls for their organizations; undefined: none are kept (REQUEST_LOG_DAYS). */
  requestLog?: RequestLog | undefined;
  limiter: Limiter;
  shares: Shares;
  /** Hashes a client's address, so that the database does not hold it. */
  nameClient(address: string): string;
  /** Whether attackers have a new password. */
  isBreached: IsBreached;
  /** Fetches the metadata documents of MCP clients, from public addresses alone. */
  fetchClientDocument: GuardedFetch;
  /** Seals the stored answers of idempotent calls, and what the authorization server keeps. */
  sealing: Sealing;
  verdictWaiter: VerdictWaiter;
  /** Answers about URLs that need no scan to be awaited. */
  findLocalAnswers: FindLocalAnswers;
  domainDns: DomainDns;
  domainWorkflow: DomainWorkflow;
  /** Milliseconds before the API checks a domain itself because the domain's workflow is silent. Tests set it. */
  workflowPatienceMs?: number;
  /** Validates the addresses of webhooks. */
  http: GuardedHttp;
  /** The header with the signature of a delivery, which no webhook may set. */
  webhookSignatureHeader: string;
  /** Gaps after failed tries of a delivery, in milliseconds (WEBHOOK_RETRY_DELAYS). */
  webhookRetryGapsMs: readonly number[];
  storage: Storage;
  images: Images;
  qrCodes: QrCodes;
  pagePreviews: PagePreviews;
  siteIcons: SiteIcons;
  health: HealthDependencies;
  /** The largest lag of an edge's journal, in milliseconds. */
  journalLagMs(): number;
  /** Workflow runs, for the internal tools. */
  workflows: Workflows;
  clock(): Date;
  baseUrl: string;
  /** Folder of the built console; it may appear later. */
  consoleFolder: string;
  /** Folder of the built documentation; it may appear later. */
  siteFolder: string;
  /** Most milliseconds that a create waits for its verdict; 0: it does not wait. */
  threatScanWaitMs: number;
  /** Most bytes of import files of an organization in 24 hours. */
  importBytesPerDay: number;
  /** Whether edges locate visitors (GEOIP_DB). */
  hasGeoip: boolean;
  installation: Installation;
  oidc: Oidc;
  /** Whether the internal tools need a session that a second factor has opened or confirmed (STAFF_SECOND_FACTOR). */
  needsStaffFactor: boolean;
  trustedProxies: readonly string[];
  /** Origins whose pages may call the API, besides its own. */
  corsOrigins?: readonly string[];
  /** Contact URIs of security.txt. */
  securityContacts: readonly string[];
  logger: FastifyBaseLogger;
  meter?: Meter;
  /** Whether the process exports spans. */
  isTraced?: boolean;
  /** Whether answers are validated against their schemas, as in tests. */
  checkAnswers?: boolean;
}

/** Routes of the API. They name the dependencies that they use by taking them out of all. */
export type Routes = FastifyPluginAsyncZod<ApiDependencies>;
