import type { ShellConnection } from './connection.ts';
import { resultText } from './results.ts';

/** The tables of `\dt` with their size; partitions count for their table. */
async function describeTables(connection: ShellConnection): Promise<string> {
  return resultText(
    await connection.run(`
      select c.relname as "table", case c.relkind when 'p' then 'partitioned' when 'v' then 'view' else 'table' end as kind,
        greatest(c.reltuples, 0)::bigint as "rows, about", pg_size_pretty(coalesce(
          (select sum(pg_total_relation_size(relid)) from pg_partition_tree(c.oid)), pg_total_relation_size(c.oid))) as size
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'v') and not c.relispartition and n.nspname = 'public' order by 1`),
  );
}

/** The columns, indexes and constraints of `\d NAME`. @throws Error for an unknown table. */
async function describeTable(connection: ShellConnection, name: string): Promise<string> {
  const table = await connection.run('select to_regclass($1)::oid', [name]);
  const oid = table.rows[0]![0];
  if (oid === null) throw new Error(`There is no table ${name}. \\dt lists them.`);
  const columns = await connection.run(
    `select a.attname as "column", format_type(a.atttypid, a.atttypmod) as type,
       case when a.attnotnull then 'not null' else '' end as "null",
       coalesce(pg_get_expr(d.adbin, d.adrelid), '') as "default"
     from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where a.attrelid = $1::oid and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    [oid],
  );
  const indexes = await connection.run(
    `select pg_get_indexdef(indexrelid) from pg_index where indrelid = $1::oid order by indexrelid::regclass::text`,
    [oid],
  );
  const constraints = await connection.run(
    `select conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
     where conrelid = $1::oid and contype in ('c', 'f') order by contype, conname`,
    [oid],
  );
  const lines = (title: string, { rows }: { rows: unknown[][] }): string[] =>
    rows.length === 0 ? [] : [`${title}:`, ...rows.map(([line]) => `  ${String(line)}`)];
  return [resultText(columns), ...lines('Indexes', indexes), ...lines('Constraints', constraints)].join('\n');
}

/** Runs `\dt` or `\d NAME`; undefined for any other command. @throws Error for an unknown table. */
export async function describe(connection: ShellConnection, command: string): Promise<string | undefined> {
  const [word, name] = command.trim().replace(/;$/, '').split(/\s+/);
  if (word === '\\dt' || (word === '\\d' && name === undefined)) return describeTables(connection);
  return word === '\\d' ? describeTable(connection, name!) : undefined;
}
