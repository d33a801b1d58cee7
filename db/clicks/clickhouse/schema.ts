import { type BotClickColumn, botClickColumns, clickColumns } from '#core/clicks/click.ts';
import type { ClickHouse } from '#db/connection/clickhouse/clickhouse.ts';

export const clicksTable = 'clicks';
/** The table of bots' visits (5.10). */
export const botClicksTable = 'bot_clicks';

// Inserts whose tokens it remembers. A batch that is tried again much later is compared by the ids of its clicks instead (`ingest.ts`).
const remembered = 10_000;

// Few values, most of them again and again: a dictionary per part.
const text = 'LowCardinality(Nullable(String))';

/** Type and codec of each column. Ids that repeat from click to click are smaller by LZ4 than by ZSTD, and read in a third of the time (measured with 1,000,000 clicks). */
const types: Readonly<Record<BotClickColumn, string>> = {
  id: 'UUID codec(ZSTD(1))',
  clicked_at: `DateTime64(3, 'UTC') codec(T64, LZ4)`,
  link_id: 'UUID codec(LZ4)',
  visitor: 'UUID codec(NONE)',
  country: text,
  region: text,
  city: text,
  continent: text,
  lang: text,
  device: 'LowCardinality(String)',
  browser: text,
  os: text,
  referer: text,
  is_qr_code: 'Bool',
  utm_source: text,
  utm_medium: text,
  utm_campaign: text,
  utm_term: text,
  utm_content: text,
  organization_id: 'UUID codec(LZ4)',
  domain_id: 'UUID codec(LZ4)',
  folder_id: 'UUID codec(LZ4)',
  tag_ids: 'Array(UUID) codec(LZ4)',
  destination: 'LowCardinality(String)',
  agent_kind: 'LowCardinality(String)',
  agent_reason: 'LowCardinality(String)',
};

/**
 * A click as PostgreSQL's table has it, sorted as statistics read it: those of an organization, of its link, of a range of time.
 * Ids and visitors are random, and take most of the room. An insert is on the disk when it is answered, as a commit of PostgreSQL is.
 */
const tableOf = (name: string, columns: readonly BotClickColumn[], { engine, onCluster }: Place): string =>
  `create table if not exists ${name}${onCluster} (${columns.map((column) => `${column} ${types[column]}`).join(', ')})
engine = ${engine}
partition by toYYYYMM(clicked_at)
order by (organization_id, link_id, clicked_at)
settings ${engine === 'MergeTree' ? 'non_replicated' : 'replicated'}_deduplication_window = ${remembered}, fsync_after_insert = 1, fsync_part_directory = 1`;

/**
 * The statement that inserts lines of a journal, in PostgreSQL's text format, whose list of tags and visitor are spelled otherwise. Dictionaries are made of
 * whole columns here; reading each value into one takes most of an insert's time (measured). An insert that selects is recognized by its token where its
 * rows are sorted by all of their columns, in every release of ClickHouse.
 */
export function insertLinesInto(table: string, columns: readonly BotClickColumn[]): string {
  const given = columns.map((column) => `${column} ${givenTypes[column] ?? givenType(types[column])}`).join(', ');
  const taken = columns.map((column) => (column in readers ? `${readers[column]!} as ${column}_` : column));
  return `insert into ${table} (${columns.join(', ')}) select ${taken.join(', ')} from input('${given.replaceAll("'", String.raw`\'`)}') order by all`;
}

const givenTypes: Partial<Record<BotClickColumn, string>> = { visitor: 'String', tag_ids: 'String' };
const readers: Partial<Record<BotClickColumn, string>> = {
  // `\x` and 32 digits.
  visitor: 'toUUID(substring(visitor, 3))',
  // `{…,…}`
  tag_ids: `cast(extractAll(tag_ids, '[^{},]+') as Array(UUID))`,
};

/** A type without its codec and its dictionary. */
function givenType(type: string): string {
  const [bare] = type.split(' codec(');
  return bare!.replace(/^LowCardinality\((.+)\)$/, '$1');
}

interface Place {
  engine: 'MergeTree' | 'ReplicatedMergeTree';
  onCluster: string;
}

/** The table that holds the rows of one of the two: itself, or on a cluster each server's own, which is a shard's. */
export function shardOf(table: string, cluster: string | undefined): string {
  return cluster === undefined ? table : `${table}_shard`;
}

const columnsOf = (table: string): readonly BotClickColumn[] =>
  table === botClicksTable ? botClickColumns : clickColumns;

/** The statements that create a table. On a cluster all clicks of an organization are on one shard, which answers its statistics alone. */
function createTableTexts(table: string, { cluster, onCluster }: Pick<ClickHouse, 'cluster' | 'onCluster'>): string[] {
  const columns = columnsOf(table);
  if (cluster === undefined) return [tableOf(table, columns, { engine: 'MergeTree', onCluster: '' })];
  const shard = shardOf(table, cluster);
  return [
    tableOf(shard, columns, { engine: 'ReplicatedMergeTree', onCluster }),
    `create table if not exists ${table}${onCluster} as ${shard}
     engine = Distributed('${cluster}', {database:String}, '${shard}', sipHash64(organization_id))`,
  ];
}

/** Creates the database of the URL and the tables of clicks and of bots' visits, where they are missing. */
export async function migrateClickHouse(clickhouse: ClickHouse): Promise<void> {
  await clickhouse.createDatabase();
  for (const table of [clicksTable, botClicksTable])
    for (const text of createTableTexts(table, clickhouse))
      await clickhouse.execute(text, { database: clickhouse.database });
}

/** @returns what `migrateClickHouse` makes and the server lacks: tables as `bot_clicks`, columns as `clicks.country`. */
export async function findMissingTables(clickhouse: ClickHouse): Promise<string[]> {
  const { database, cluster } = clickhouse;
  const rows = await clickhouse.query<{ table: string; name: string }>(
    'select table, name from system.columns where database = {database:String}',
    { database },
  );
  const found = new Set(rows.flatMap(({ table, name }) => [table, `${table}.${name}`]));
  const tables = [clicksTable, botClicksTable].flatMap((table) =>
    [...new Set([table, shardOf(table, cluster)])].map((name) => ({ name, columns: columnsOf(table) })),
  );
  return tables.flatMap(({ name, columns }) =>
    found.has(name) ? columns.map((column) => `${name}.${column}`).filter((column) => !found.has(column)) : [name],
  );
}
