import { join } from 'node:path';
import { createDiskReader } from '#adapters/machine/disk.ts';
import { openGeoip } from '#adapters/geoip.ts';
import { collectAlone, collectStartGarbage, limitHeapGrowth } from '#adapters/machine/heap.ts';
import { keepPrivate } from '#adapters/machine/private-files.ts';
import { createFileUrl } from '#core/files/url.ts';
import { noGeoipNote } from '#core/links/warnings/link-warnings.ts';
import { openClickHouse } from '#db/connection/clickhouse/open-clickhouse.ts';
import { createEdge } from '#edge/server.ts';
import { addressOf, makeDataFolder, type Parts, type Service, siteOf, untilDatabase } from './shared.ts';

// A batch takes a fraction of a second, and its connection to PostgreSQL has 20 s (edge/shipper/ship.ts).
const insertMs = 10_000;

/** Serves visitors, with or without a database. */
export async function serveEdge(parts: Parts): Promise<Service> {
  limitHeapGrowth();
  collectAlone();
  makeDataFolder(parts.config);
  const { config, databaseUrl, edgeKeys, db, log, meter } = parts;
  // Without a database the edge serves links in memory, writes journals, and answers 503 for other links.
  const fingerprints = edgeKeys.map(({ fingerprint }) => fingerprint);
  const site = siteOf(config);
  const onlyCompares = config.EDGE_DATABASE_URL !== undefined;
  const platformHost = onlyCompares ? undefined : site.platformHost;
  void untilDatabase(parts, { fingerprints }, { onlyCompares, platformHost }).catch((error: Error) => {
    log.fatal(error.message);
    process.exit(1);
  });
  const geo = config.GEOIP_DB.length === 0 ? undefined : await openGeoip({ paths: config.GEOIP_DB, log });
  if (geo === undefined) log.info(`${noGeoipNote}; npm run geoip fetches a database`);
  keepPrivate(join(config.WAYMARK_DATA_DIR, 'journal'), log);
  const clickhouse = await openClickHouse(config.CLICKHOUSE_URL, 'edge', insertMs);
  const edge = createEdge({
    database: db,
    clickhouse,
    databaseUrl,
    dataDir: config.WAYMARK_DATA_DIR,
    secretKeys: edgeKeys.map(({ key }) => key),
    trustedProxies: config.TRUSTED_PROXIES,
    fsync: config.JOURNAL_FSYNC,
    journalMaxBytes: config.JOURNAL_MAX_BYTES,
    isHttps: config.EDGE_SCHEME === 'https',
    fileUrl: createFileUrl(config.BASE_URL),
    securityContacts: config.SECURITY_CONTACT,
    site,
    internalPort: config.EDGE_INTERNAL_PORT,
    notFoundPerMinute: config.EDGE_NOT_FOUND_PER_MINUTE,
    geo,
    readDisk: createDiskReader(config.WAYMARK_DATA_DIR),
    diskWarnBytes: config.DISK_FREE_WARN_BYTES,
    log,
    meter,
    onLost() {
      log.fatal(
        'another machine took over the journal of this process, which it found dead; the process ends, to begin a new journal',
      );
      process.exit(1);
    },
  });
  collectStartGarbage();
  const address = await edge.listen(addressOf(config, config.EDGE_PORT));
  log.info({ address }, 'the edge serves');
  return {
    async close() {
      await edge.close();
      await clickhouse?.close();
    },
  };
}
