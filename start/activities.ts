import type { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { createClickActivities } from '#activities/clicks/clicks.ts';
import { createMoveActivities } from '#activities/clicks/move.ts';
import { createWarehouseActivities } from '#activities/warehouse/warehouse.ts';
import { createVisitorKeyActivities } from '#activities/clicks/visitor-keys.ts';
import { createDeleteActivities } from '#activities/deletions/deletions.ts';
import { createDomainActivities } from '#activities/domains/domains.ts';
import { createFileActivities } from '#activities/files/files.ts';
import { createHousekeepingActivities } from '#activities/housekeeping/housekeeping.ts';
import { createImportActivities } from '#activities/imports/imports.ts';
import { createExpiryActivities } from '#activities/links/expiries.ts';
import { createFrameActivities } from '#activities/links/frames.ts';
import { createReportActivities } from '#activities/links/reports.ts';
import { createMailActivities } from '#activities/mails.ts';
import { createRescanActivities } from '#activities/threats/rescan.ts';
import { createThreatListActivities } from '#activities/threats/lists.ts';
import { createScanActivities } from '#activities/threats/scan.ts';
import { createWebhookActivities } from '#activities/webhooks/webhooks.ts';
import { createDomainDns } from '#adapters/dns/dns.ts';
import { keepPrivate } from '#adapters/machine/private-files.ts';
import { createMailer } from '#adapters/mail.ts';
import { createStorage } from '#adapters/storage/storage.ts';
import type { ThreatListSource } from '#adapters/threat-scanners/scanner.ts';
import type { ThreatScanner } from '#adapters/threat-scanners/threat-scanner.ts';
import { createLocalAnswers } from '#commands/threats/local-answers.ts';
import type { ClickHouse } from '#db/connection/clickhouse/clickhouse.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { Sealing } from '#core/secrets/sealing.ts';
import { createGuardedClient } from './guarded-clients.ts';
import { type Parts, siteOf } from './shared.ts';

/** What activities need beside the parts of every process. */
interface ActivityParts extends Pick<Parts, 'config' | 'db' | 'log' | 'meter'> {
  em: EntityManager;
  clickhouse: ClickHouse | undefined;
  scanner: ThreatScanner;
  /** Undefined: the scanner uses no lists of Web Risk. */
  listSource: ThreatListSource | undefined;
  sealing: Sealing;
  /** Emits the id of a webhook that has more deliveries while a pump is at work. */
  notifications: EventEmitter;
  /** Aborted when the worker takes no more tasks. */
  draining: AbortSignal;
}

/** Every activity of the worker, with its connections to other servers; `close` ends those. */
export function createActivities(parts: ActivityParts) {
  const { config, db, em, clickhouse, log, meter, scanner, listSource, sealing, notifications, draining } = parts;
  const http = createGuardedClient('webhooks', config);
  const pages = createGuardedClient('frames', config);
  const mailFolder = join(config.WAYMARK_DATA_DIR, 'mail');
  keepPrivate(mailFolder, log);
  const mailer = createMailer({ smtpUrl: config.SMTP_URL, from: config.MAIL_FROM, folder: mailFolder, log });
  const domainDns = createDomainDns({
    servers: config.DNS_SERVERS,
    edgeHostname: config.EDGE_HOSTNAME,
    edgeAddresses: config.EDGE_ADDRESSES,
  });
  const storage = createStorage(config);
  const openImages = async () => (await import('#adapters/images/images.ts')).createImages();
  const site = siteOf(config);
  const findLocalAnswers = createLocalAnswers({
    em,
    lookUp: async (url) => scanner.lookUpLocally?.(url),
    perDay: config.THREAT_SCANS_PER_DAY,
  });
  return {
    activities: {
      ...createScanActivities({ db, em, scanner, site, log, meter }),
      ...createRescanActivities({ em, scanner, site, mailer, log, meter }),
      ...createThreatListActivities({ em, source: listSource, log }),
      ...createClickActivities({
        em,
        clickhouse,
        keptDays: config.CLICK_RETENTION_DAYS,
        botsKeptDays: config.BOT_CLICK_RETENTION_DAYS,
      }),
      ...createMoveActivities({ em, clickhouse }),
      ...createWarehouseActivities({
        em,
        clickhouse,
        storage,
        writeParquet: async (...file) => (await import('#adapters/parquet/parquet.ts')).writeParquet(...file),
      }),
      ...createVisitorKeyActivities({ em }),
      ...createFileActivities({ em, storage, openImages, log }),
      ...createHousekeepingActivities({ em, callsKeptDays: config.REQUEST_LOG_DAYS }),
      ...createExpiryActivities({ em, site }),
      ...createDeleteActivities({ em, clickhouse, storage }),
      ...createReportActivities({ em }),
      ...createMailActivities({ em, mailer, sealing, baseUrl: config.BASE_URL }),
      ...createFrameActivities({ em, http: pages, site }),
      ...createImportActivities({ em, site, findLocalAnswers }),
      ...createDomainActivities({ em, domainDns, log, meter }),
      ...createWebhookActivities({
        notifications,
        draining,
        em,
        http,
        sealing,
        mailer,
        gapsMs: config.WEBHOOK_RETRY_DELAYS.map((seconds) => seconds * 1_000),
        probeDelaysMs: config.WEBHOOK_PROBE_DELAYS.map((seconds) => seconds * 1_000),
        signatureHeader: config.WEBHOOK_SIGNATURE_HEADER,
        log,
        meter,
      }),
    },
    async close(): Promise<void> {
      mailer.close();
      await Promise.all([http.close(), pages.close()]);
    },
  };
}
