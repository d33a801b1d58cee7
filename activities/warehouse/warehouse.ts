import { Context } from '@temporalio/activity';
import { figure, takeTurn } from '#activities/turn.ts';
import { clickColumns, readCopyField } from '#core/clicks/click.ts';
import type { Storage } from '#core/files/storage.ts';
import { clickFileColumns, linkFileColumns, type ParquetColumn, type ParquetValue } from '#core/warehouse/columns.ts';
import { createClickHouseStore } from '#db/clicks/stores/clickhouse-store.ts';
import { createPostgresStore } from '#db/clicks/stores/postgres-store.ts';
import { areSameFigures, type ClickPart } from '#db/clicks/stores/store.ts';
import type { ClickHouse } from '#db/connection/clickhouse/clickhouse.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { Position } from '#db/connection/lists/paging.ts';
import { readLinksForWarehouse } from '#db/links/warehouse.ts';
import { type Manifest, readManifest, warehouseKey, writeManifest } from './manifest.ts';

/** The times and sizes are for tests. */
interface WarehouseDependencies {
  em: EntityManager;
  /** Holds the clicks in place of PostgreSQL. */
  clickhouse?: ClickHouse | undefined;
  storage: Storage;
  writeParquet(columns: readonly ParquetColumn[], rows: readonly (readonly ParquetValue[])[]): Promise<Uint8Array>;
  turnMs?: number;
  /** Rows of a file, which is in memory as a whole. */
  fileRows?: number;
  /** Rows that are read at once. */
  batchSize?: number;
}

/** What a turn has written. */
export interface WarehouseTurn {
  /** Organizations that are done. */
  organizations: number;
  /** Files that were written. */
  files: number;
  rows: number;
  /** Months whose clicks have not changed since their files were written. */
  unchanged: number;
  /** The last organization that is done, or given up; null: none. */
  after: string | null;
  /** Why that organization was given up until the next run. */
  error?: string;
  more: boolean;
}

export type WarehouseActivities = ReturnType<typeof createWarehouseActivities>;

interface RowsToWrite {
  /** The beginning of the files' names. */
  kind: string;
  columns: readonly ParquetColumn[];
  batches: AsyncGenerator<ParquetValue[][]>;
}

export function createWarehouseActivities(options: WarehouseDependencies) {
  const { em, clickhouse, storage, writeParquet } = options;
  const { turnMs = 5 * 60_000, fileRows = 100_000, batchSize = 10_000 } = options;
  const clicks = clickhouse === undefined ? createPostgresStore(em) : createClickHouseStore(clickhouse, em);

  return {
    /** Writes the files of organizations after one, by id, for a turn, or until one is given up after seven attempts. */
    exportToWarehouse: ({ after }: { after: string | null }): Promise<WarehouseTurn> =>
      takeTurn({ turnMs, sql: em }, async (turn) => {
        const done = { organizations: 0, files: 0, rows: 0, unchanged: 0, after, more: true };
        const months = (await clicks.listMonths('clicks')).toSorted();
        for (;;) {
          const organizationId = await turn.batch(() => findOrganization(done.after));
          if (organizationId === undefined) return { ...done, more: false };
          try {
            if (!(await exportOrganization(organizationId))) return done;
          } catch (error) {
            turn.check();
            // The next turn begins with this organization.
            if (done.organizations > 0) return done;
            if (Context.current().info.attempt < attempts) throw error;
            return { ...done, after: organizationId, error: describeCause(error) };
          }
          done.organizations += 1;
          done.after = organizationId;
          if (turn.isOver()) return done;
        }

        /** @returns whether it is done; the next turn passes over months that have not changed since. */
        async function exportOrganization(organizationId: string): Promise<boolean> {
          // Without a manifest that can be read, all files are written again.
          const manifest = (await readManifest(storage, organizationId)) ?? { files: [], months: {} };
          for (const month of months) {
            const part: ClickPart = { table: 'clicks', month, organizationId };
            const figures = await turn.batch(() => clicks.readFigures(part));
            const known = manifest.months[month];
            if (figures.clicks === 0) await forget(manifest, part);
            else if (known !== undefined && areSameFigures(known, figures)) done.unchanged += 1;
            else {
              delete manifest.months[month];
              await write(manifest, organizationId, {
                kind: `clicks-${month}`,
                columns: clickFileColumns,
                batches: readClicksOf(part),
              });
              // Clicks that came meanwhile make the figures differ the next time.
              manifest.months[month] = figures;
              await writeManifest(storage, organizationId, manifest);
              if (turn.isOver()) return false;
            }
          }
          for (const month of Object.keys(manifest.months))
            if (!months.includes(month)) await forget(manifest, { table: 'clicks', month, organizationId });
          const batches = readLinksOf(organizationId);
          await write(manifest, organizationId, { kind: 'links', columns: linkFileColumns, batches });
          await writeManifest(storage, organizationId, manifest);
          return true;
        }

        /** Writes rows to files numbered from 001, and removes files of an earlier export whose numbers are higher. */
        async function write(
          manifest: Manifest,
          organizationId: string,
          { kind, columns, batches }: RowsToWrite,
        ): Promise<void> {
          const isOwn = ({ name }: { name: string }): boolean => name.startsWith(`${kind}-`);
          const before = manifest.files.filter(isOwn);
          const nameOf = (number: number): string => `${kind}-${String(number).padStart(3, '0')}.parquet`;
          const written: Manifest['files'] = [];
          let rows: ParquetValue[][] = [];
          const flush = async (): Promise<void> => {
            const name = nameOf(written.length + 1);
            // Listed first: a deletion of the organization removes what is listed.
            if (!manifest.files.some((file) => file.name === name)) {
              manifest.files.push({ name, rows: 0 });
              await writeManifest(storage, organizationId, manifest);
            }
            const bytes = await writeParquet(columns, rows);
            if (!(await isLive(organizationId))) throw new Error('The organization was deleted meanwhile.');
            await storage.put(warehouseKey(organizationId, name), bytes, mime);
            written.push({ name, rows: rows.length });
            done.files += 1;
            done.rows += rows.length;
            turn.show(`${figure(done.files)} files, ${figure(done.rows)} rows`);
            turn.check();
            rows = [];
          };
          for await (const batch of batches) {
            for (const row of batch) {
              rows.push(row);
              if (rows.length === fileRows) await flush();
            }
          }
          // A file without rows tells the columns.
          if (rows.length > 0 || written.length === 0) await flush();
          const gone = before.filter(({ name }) => !written.some((file) => file.name === name));
          manifest.files = [...manifest.files.filter((file) => !isOwn(file)), ...written];
          await writeManifest(storage, organizationId, manifest);
          for (const { name } of gone) await storage.remove(warehouseKey(organizationId, name));
        }

        /** Removes the files of a month without clicks. */
        async function forget(manifest: Manifest, { organizationId, month }: ClickPart): Promise<void> {
          const isOwn = ({ name }: { name: string }): boolean => name.startsWith(`clicks-${month}-`);
          const gone = manifest.files.filter(isOwn);
          if (gone.length === 0 && manifest.months[month] === undefined) return;
          for (const { name } of gone) await storage.remove(warehouseKey(organizationId, name));
          manifest.files = manifest.files.filter((file) => !isOwn(file));
          delete manifest.months[month];
          await writeManifest(storage, organizationId, manifest);
        }
      }),
  };

  async function findOrganization(after: string | null): Promise<string | undefined> {
    const query = em.fork().kysely.selectFrom('Organization').select('id').where('deletedAt', 'is', null);
    const next = after === null ? query : query.where('id', '>', after);
    return (await next.orderBy('id').limit(1).executeTakeFirst())?.id;
  }

  async function isLive(organizationId: string): Promise<boolean> {
    const query = em.fork().kysely.selectFrom('Organization').select('id').where('id', '=', organizationId);
    return (await query.where('deletedAt', 'is', null).executeTakeFirst()) !== undefined;
  }

  async function* readClicksOf(part: ClickPart): AsyncGenerator<ParquetValue[][]> {
    for (let after: Position | null = null; ;) {
      const lines = (await clicks.readLines(part, after, batchSize)).toString().split('\n').slice(0, -1);
      const rows = lines.map(readClick);
      yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < batchSize) return;
      after = { id: last[0] as string, atMs: (last[1] as Date).getTime() };
    }
  }

  async function* readLinksOf(organizationId: string): AsyncGenerator<ParquetValue[][]> {
    for (let after: string | null = null; ;) {
      const rows: ParquetValue[][] = await readLinksForWarehouse(em, organizationId, after, batchSize);
      yield rows;
      if (rows.length < batchSize) return;
      after = rows.at(-1)![0] as string;
    }
  }
}

// A minute in all, by the gaps of the workflow's policy.
const attempts = 7;

/** The message of an error of the storage is in its cause. */
function describeCause(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

const mime = 'application/vnd.apache.parquet';
const places = clickFileColumns.map(({ name }) => (clickColumns as readonly string[]).indexOf(name));

/** A line of a journal in the order of `clickFileColumns`. */
function readClick(line: string): ParquetValue[] {
  const fields = line.split('\t');
  return clickFileColumns.map(({ name, type }, index): ParquetValue => {
    const value = readCopyField(fields[places[index]!]!);
    if (value === null) return null;
    if (type === 'time') return new Date(value);
    if (type === 'boolean') return value === 't';
    return name === 'tag_ids' ? value.slice(1, -1).split(',').filter(Boolean) : value;
  });
}
