import { openClickHouse } from '#db/connection/clickhouse/open-clickhouse.ts';
import { createDatabase } from '#db/connection/database.ts';
import { createEdge } from '#edge/server.ts';
import { silentLog } from './edge.ts';
import { site } from './site.ts';

/**
 * An edge in a process of its own, which tests may kill: `DATABASE_URL`, `CLICKHOUSE_URL`, `WAYMARK_DATA_DIR` and `NOT_FOUND_PER_MINUTE` come from the
 * environment; it prints its address on a line. Under `--expose-gc` it answers `heap` with the bytes that live in its heap, and
 * another message with those in buffers too.
 */
const {
  DATABASE_URL: url = '',
  CLICKHOUSE_URL: clickhouseUrl,
  WAYMARK_DATA_DIR: dataDir = '',
  NOT_FOUND_PER_MINUTE: notFoundPerMinute = '1000000',
} = process.env;
const database = createDatabase({ url });
const edge = createEdge({
  site,
  database,
  clickhouse: await openClickHouse(clickhouseUrl, 'edge', 10_000),
  databaseUrl: url,
  dataDir,
  secretKeys: ['a secret of the tests, long enough'],
  trustedProxies: ['127.0.0.1'],
  fsync: false,
  isHttps: false,
  fileUrl: (key) => `https://files.example/files/${key}`,
  securityContacts: ['mailto:security@waymark.example'],
  notFoundPerMinute: Number(notFoundPerMinute),
  // A slow machine takes its time to open thousands of connections.
  deadlines: { headersMs: 60_000, requestMs: 60_000 },
  log: silentLog,
});
process.stdout.write(`${await edge.listen({ host: '127.0.0.1', port: 0 })}\n`);
process.on('SIGTERM', () => {
  void edge
    .close()
    .then(() => database.close())
    .then(() => process.exit(0));
});
process.on('message', (what) => {
  globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  process.send!(what === 'heap' ? heapUsed : heapUsed + external);
});
