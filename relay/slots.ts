import pg from 'pg';

/** Places that all relays of an installation share. */
export interface Slots {
  /** Takes a place, or says that none is free. */
  take(): Promise<Slot | undefined>;
  close(): Promise<void>;
}

/** A place that is held until it is given back, or until its holder dies. */
export interface Slot {
  /** Whether it is the one that is kept for what is urgent; of a single place none is. */
  readonly isReserved: boolean;
  free(): Promise<void>;
}

/** Settings of `createSlots`. `key` names what is shared; every relay gives the same one. */
export interface SlotsOptions {
  url: string;
  key: number;
  count: number;
  onError: (error: Error) => void;
}

// An arbitrary constant that keeps these apart from other advisory locks.
const lockClass = 72_904;
const connectTimeoutMs = 5_000;

/**
 * Shares a fixed number of places among processes by advisory locks, on one connection of its own: PostgreSQL gives the
 * places of a dead process back. When that connection is lost, its places count as free although their holder may
 * still be at work; it takes no more than `count` itself.
 */
export function createSlots({ url, key, count, onError }: SlotsOptions): Slots {
  const held = new Set<number>();
  let client: pg.Client | undefined;
  // One statement at a time: the connection is no pool.
  let last: Promise<unknown> = Promise.resolve();

  function ask(
    connection: pg.Client,
    lock: 'pg_try_advisory_lock' | 'pg_advisory_unlock',
    place: number,
  ): Promise<boolean> {
    const query = () =>
      connection.query<{ done: boolean }>(`select ${lock}($1, $2) as done`, [lockClass, key * 100 + place]);
    const answer = last.then(query, query).then(({ rows }) => rows[0]!.done);
    last = answer.catch(() => undefined);
    return answer;
  }

  async function connect(): Promise<pg.Client> {
    const fresh = new pg.Client({
      connectionString: url,
      application_name: 'waymark relay slots',
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
    });
    fresh.on('error', (error) => {
      if (client === fresh) client = undefined;
      onError(error);
    });
    await fresh.connect();
    return (client = fresh);
  }

  return {
    async take() {
      const connection = client ?? (await connect());
      // The reserved one last.
      for (let place = count - 1; place >= 0; place -= 1) {
        // A session may take its own lock again: what it holds is known only here.
        if (held.has(place)) continue;
        if (!(await ask(connection, 'pg_try_advisory_lock', place))) continue;
        held.add(place);
        return {
          isReserved: place === 0 && count > 1,
          free: async () => {
            if (!held.delete(place) || client !== connection) return;
            await ask(connection, 'pg_advisory_unlock', place).catch(onError);
          },
        };
      }
      return undefined;
    },
    async close() {
      const open = client;
      client = undefined;
      await open?.end();
    },
  };
}
