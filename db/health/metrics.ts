import type { Meter, Sample } from '#core/lib/meter.ts';
import type { Database } from '#db/connection/database.ts';
import { readSkew } from './readiness.ts';

/** Registers metrics of a process's databases, by name; databases that are added later are included. */
export function measureDatabase(meter: Meter, databases: Readonly<Record<string, Database>>): void {
  const pools = (name: string, help: string, read: (pool: Database['pool']) => number): void =>
    meter.gauge(
      `waymark_database_${name}`,
      help,
      () => Object.entries(databases).map(([pool, db]) => ({ labels: { pool }, value: read(db.pool) })),
      ['pool'],
    );
  pools('connections', 'Open connections of the pool.', (pool) => pool.totalCount);
  pools('connections_idle', 'Connections of the pool that nothing uses.', (pool) => pool.idleCount);
  pools('waiting', 'Statements that wait for a connection of the pool.', (pool) => pool.waitingCount);
  meter.counter(
    'waymark_database_errors_total',
    'Statements, transactions and connections that failed, by what the database failed for; refused values are none.',
    () =>
      Object.entries(databases).flatMap(([pool, { errors }]) =>
        Object.entries(errors.counts).map(([kind, value]): Sample => ({ labels: { pool, kind }, value })),
      ),
    ['pool', 'kind'],
  );
  meter.gauge(
    'waymark_clock_offset_seconds',
    "How far this machine's clock is from the database's at least; positive: this one is behind.",
    async () => {
      const [db] = Object.values(databases);
      return db === undefined ? [] : (await readSkew(db, Date.now)) / 1_000;
    },
  );
}
