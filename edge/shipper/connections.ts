import type { PoolClient } from 'pg';
import { type Database, sever } from '#db/connection/database.ts';

/** The connections that a shipper uses. */
interface Connections {
  connect(): Promise<PoolClient>;
  /** Gives a connection back; a broken one is closed, and its locks end with it. */
  release(connection: PoolClient, isBroken: boolean): void;
  /** Lends a second connection, unless it is the last one free: lookups and the making of partitions need one. */
  withSecond<T>(work: (second: PoolClient | undefined) => Promise<T>): Promise<T>;
  /** Fails the statements under way on all of them. */
  severAll(): void;
}

// Longer than a batch ever takes, and the one before it that it may wait for. PostgreSQL's own deadline is 30 s (db/clicks/ingest.ts).
const stepTimeoutMs = 20_000;

/** Takes connections out of the pool of a process. */
export function createConnections({ pool }: Pick<Database, 'pool'>): Connections {
  const inUse = new Set<PoolClient>();

  async function connect(): Promise<PoolClient> {
    const connection = await pool.connect();
    inUse.add(connection);
    return connection;
  }

  function release(connection: PoolClient, isBroken: boolean): void {
    inUse.delete(connection);
    connection.release(isBroken);
  }

  return {
    connect,
    release,
    async withSecond(work) {
      const { idleCount, totalCount, waitingCount, options } = pool;
      const free = idleCount + options.max - totalCount;
      const second = free > 1 && waitingCount === 0 ? await connect().catch(() => undefined) : undefined;
      let isBroken = true;
      try {
        const result = await work(second);
        isBroken = false;
        return result;
      } finally {
        if (second !== undefined) release(second, isBroken);
      }
    },
    severAll() {
      for (const connection of inUse) sever(connection);
    },
  };
}

/** Waits for statements of a connection, and severs it after 20 s without an answer: the statements fail then. */
export async function withDeadline<T>(client: PoolClient, step: Promise<T>): Promise<T> {
  const timer = setTimeout(() => sever(client), stepTimeoutMs);
  try {
    return await step;
  } finally {
    clearTimeout(timer);
  }
}
