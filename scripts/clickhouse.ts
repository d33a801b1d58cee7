import { loadConfig } from '#config/load.ts';
import { fetchChdb } from './embedded/clickhouse/fetch.ts';

/** Fetches the ClickHouse of tests, benchmarks and `CLICKHOUSE=embedded` into the cache folder (`npm run clickhouse`). */

const { WAYMARK_CACHE_DIR } = process.env;
console.log(fetchChdb(loadConfig({ WAYMARK_CACHE_DIR }).WAYMARK_CACHE_DIR));
