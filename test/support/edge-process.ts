import { createDatabase } from '../../db/database.ts';
import { createEdge } from '../../edge/server.ts';
import { silentLog } from './edge.ts';

/**
 * An edge in a process of its own, which tests may kill: `DATABASE_URL` and `WAYMARK_DATA_DIR` come from the environment; it
 * prints its address on a line.
 */
const { DATABASE_URL: url = '', WAYMARK_DATA_DIR: dataDir = '' } = process.env;
const database = createDatabase({ url });
const edge = createEdge({
  database,
  databaseUrl: url,
  dataDir,
  secretKeys: ['a secret of the tests, long enough'],
  trustedProxies: [],
  fsync: false,
  isHttps: false,
  fileUrl: (key) => `https://files.example/files/${key}`,
  notFoundPerMinute: 1_000_000,
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
