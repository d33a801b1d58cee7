import type { FastifyBaseLogger } from 'fastify';
import type { GuardedHttp } from '#adapters/http/guarded-http.ts';
import type { Images } from '#adapters/images/images.ts';
import type { QrCodes } from '#adapters/images/qr-code.ts';
import type { Workflows } from '#adapters/temporal/workflows.ts';
import type { DomainDns } from '#core/domains/dns.ts';
import type { Meter } from '#core/lib/meter.ts';
import type { Sealing } from '#core/secrets/sealing.ts';
import type { Site } from '#core/links/site.ts';
import type { Storage } from '#core/files/storage.ts';
import type { Database } from '#db/connection/database.ts';
import type { DomainActor } from './domain/actor.ts';
import type { HealthDependencies } from './health/routes.ts';
import type { KeyDirectory } from './auth/key-directory.ts';
import type { Limiter } from './limits/rate-limiter.ts';
import type { VerdictWaiter } from './short-link/verdict-waiter.ts';

/** What the API is built from. */
export interface ApiDependencies {
  db: Database;
  /** How many connections it has. Default: 10. */
  connections?: number;
  site: Site;
  keys: KeyDirectory;
  limiter: Limiter;
  /** A name for a client's address that does not tell it. */
  nameClient(address: string): string;
  /** Seals the answers that are kept for those who ask again. */
  sealing: Sealing;
  verdicts: VerdictWaiter;
  domainDns: DomainDns;
  domainActor: DomainActor;
  /** How long a domain's actor may be silent before the API checks the domain itself, in milliseconds; set by tests. */
  actorPatienceMs?: number;
  /** Asks whether the addresses that customers give may be called. */
  http: GuardedHttp;
  /** Where uploaded files lie. */
  storage: Storage;
  images: Images;
  qrCodes: QrCodes;
  health: HealthDependencies;
  /** How far the edge that is furthest behind with its clicks is behind, in milliseconds. */
  journalLagMs(): number;
  /** What operators see of Temporal. */
  workflows: Workflows;
  clock(): Date;
  baseUrl: string;
  /** How long a create waits for its verdict, in milliseconds. */
  threatScanWaitMs: number;
  /** Bytes of files that an organization may import in 24 hours. */
  importBytesPerDay: number;
  /** Whether the edges know where visitors are (GEOIP_DB). */
  hasGeoip: boolean;
  trustedProxies: readonly string[];
  /** Origins whose pages may call the API; without: none but its own. */
  corsOrigins?: readonly string[];
  /** Whom security.txt names, as URIs. */
  securityContacts: readonly string[];
  logger: FastifyBaseLogger;
  meter?: Meter;
  /** Whether answers are checked against their schemas: in tests. */
  checkAnswers?: boolean;
}
