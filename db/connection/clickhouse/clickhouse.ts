import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { clickHouseErrorType } from '#db/connection/errors.ts';

/** The ClickHouse of CLICKHOUSE_URL, which holds the clicks in place of PostgreSQL. */
export interface ClickHouse {
  /** Its database: other servers of a cluster have another current one. */
  readonly database: string;
  /** Name of the cluster that its tables are on; undefined: one server. */
  readonly cluster: string | undefined;
  /** Follows the name in a statement that every server of the cluster runs; empty without one. */
  readonly onCluster: string;
  /** Reads rows. `{name:Type}` in the text stands for a parameter. */
  query<Row>(text: string, parameters?: Parameters): Promise<Row[]>;
  /** Reads rows as they come: however many there are, some hundred are in memory. */
  stream<Row>(text: string, parameters?: Parameters): AsyncGenerator<Row>;
  /** Reads rows as lines of tab-separated values. */
  readLines(text: string, parameters?: Parameters): Promise<Buffer>;
  /** Creates the database of the URL where it is missing. */
  createDatabase(): Promise<void>;
  /** Runs a statement without an answer, and waits until it is done. */
  execute(text: string, parameters?: Parameters): Promise<void>;
  /**
   * Inserts lines of tab-separated values at once.
   * @param statement an insert, without its format.
   * @param token a second insert with the same token does nothing.
   */
  insert(statement: string, lines: Buffer, token: string): Promise<void>;
  /** Whether the last call was answered, if only by an error of its own. */
  isUp(): boolean;
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

type Parameters = Readonly<Record<string, unknown>>;

interface ClickHouseOptions {
  /** `http://user:password@host:8123/database`, with `?cluster=name` where its tables are on a cluster. */
  url: string;
  /** Milliseconds that the server lets a query run; 0: for ever. */
  timeoutMs: number;
  applicationName: string;
}

// So much longer than the server its client waits, to hear of the server's own deadline.
const answerMs = 5_000;
const longestMs = 2 ** 31 - 1;
// Ids of links stand in the text of a query (db/stats/clickhouse/filter.ts).
const maxTextBytes = 1_073_741_824;

/** Connects at the first call. */
export function connectClickHouse({ url: address, timeoutMs, applicationName }: ClickHouseOptions): ClickHouse {
  const url = new URL(address);
  const cluster = url.searchParams.get('cluster') ?? undefined;
  url.search = '';
  const database = decodeURIComponent(url.pathname.slice(1)) || 'default';
  const onCluster = cluster === undefined ? '' : ` on cluster '${cluster}'`;
  const client = createClient({
    url,
    application: applicationName,
    request_timeout: timeoutMs === 0 ? longestMs : timeoutMs + answerMs,
    // Callers log their errors.
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: {
      max_execution_time: Math.ceil(timeoutMs / 1_000),
      max_query_size: String(maxTextBytes),
      output_format_json_quote_64bit_integers: 0,
      date_time_input_format: 'best_effort',
      // An insert is answered once each shard has its clicks; an organization's statistics ask its shard alone.
      ...(cluster !== undefined && { distributed_foreground_insert: 1, optimize_skip_unused_shards: 1 }),
    },
  });
  let up = true;

  async function heard<T>(call: Promise<T>): Promise<T> {
    try {
      const answer = await call;
      up = true;
      return answer;
    } catch (error) {
      up = clickHouseErrorType(error) !== undefined;
      throw error;
    }
  }

  return {
    database,
    cluster,
    onCluster,
    query: (text, parameters) =>
      heard(
        client
          .query({ query: text, query_params: { ...parameters }, format: 'JSONEachRow' })
          .then((result) => result.json()),
      ),
    async *stream<Row>(text: string, parameters?: Parameters) {
      const result = await heard(client.query({ query: text, query_params: { ...parameters }, format: 'JSONEachRow' }));
      for await (const rows of result.stream()) for (const row of rows) yield row.json<Row>();
    },
    async readLines(text, parameters) {
      const { stream } = await heard(
        client.exec({ query: `${text} format TabSeparated`, query_params: { ...parameters } }),
      );
      return heard(buffer(stream));
    },
    async execute(text, parameters) {
      await heard(client.command({ query: text, query_params: { ...parameters } }));
    },
    async createDatabase() {
      if (url.pathname === '/') return;
      // Not from within the database, which may be missing.
      const outside = new URL(url);
      outside.pathname = '/';
      const admin = createClient({ url: outside, log: { level: ClickHouseLogLevel.OFF } });
      try {
        await admin.command({
          query: `create database if not exists {name:Identifier}${onCluster}`,
          query_params: { name: database },
        });
      } finally {
        await admin.close();
      }
    },
    async insert(statement, lines, token) {
      const { stream } = await heard(
        client.exec({
          query: `${statement} format TabSeparated`,
          values: Readable.from([lines]),
          clickhouse_settings: { insert_deduplicate: 1, insert_deduplication_token: token },
        }),
      );
      // The answer is empty: its end says that the insert is done.
      await heard(buffer(stream));
    },
    isUp: () => up,
    async ping() {
      const { success } = await client.ping();
      up = success;
      return success;
    },
    close: () => client.close(),
  };
}
