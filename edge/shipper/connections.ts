import type { PoolClient } from 'pg';
import type { Database } from '#db/connection/database.ts';
import { sever } from '#db/connection/sever.ts';

/** The connections that a shipper uses. */
export interface Connections {
  connect(): Promise<PoolClient>;
  /** Gives one back; a broken one is closed, and its locks end with it. */
  release(connection: PoolClient, isBroken: boolean): void;
  /** Lends a second one, unless it is the last: visitors need one, and whoever makes a partition. */
  withSecond<T>(work: (second: PoolClient | undefined) => Promise<T>): Promise<T>;
  /** Fails what is under way on all of them. */
  severAll(): void;
}

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
