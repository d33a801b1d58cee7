import pg from 'pg';

/** Slots that all relays of an installation share. */
interface Slots {
  /** Takes a slot; undefined: none is free. */
  take(): Promise<Slot | undefined>;
  close(): Promise<void>;
}

/** A slot, held until it is freed or its holder dies. */
export interface Slot {
  /** Whether it is the one that is kept for urgent work; a single slot is not. */
  readonly isReserved: boolean;
  free(): Promise<void>;
}

/** `key` names the shared slots; every relay gives the same one. */
interface SlotsOptions {
  url: string;
  key: number;
  count: number;
  onError: (error: Error) => void;
}

// An arbitrary constant that keeps these apart from other advisory locks.
const lockClass = 72_904;
const connectTimeoutMs = 5_000;

/**
 * Shares a fixed number of slots among processes by advisory locks, on a connection of its own: PostgreSQL frees the slots of a
 * dead process. When that connection is lost, its slots count as free although their holder may still be at work; the holder
 * itself never takes more than `count`.
 */
export function createSlots({ url, key, count, onError }: SlotsOptions): Slots {
  const held = new Set<number>();
  let client: pg.Client | undefined;
  // One statement at a time: the connection is no pool.
  let last: Promise<unknown> = Promise.resolve();

  function ask(
    connection: pg.Client,
    lock: 'pg_try_advisory_lock' | 'pg_advisory_unlock',
    slot: number,
  ): Promise<boolean> {
    // By hand: a connection of its own, which no entity manager has, claims scans (bench row C1).
    const query = () =>
      connection.query<{ done: boolean }>(`select ${lock}($1, $2) as done`, [lockClass, key * 100 + slot]);
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
      for (let slot = count - 1; slot >= 0; slot -= 1) {
        // PostgreSQL lets a session take its own lock again: only `held` knows which slots it has.
        if (held.has(slot)) continue;
        if (!(await ask(connection, 'pg_try_advisory_lock', slot))) continue;
        held.add(slot);
        return {
          isReserved: slot === 0 && count > 1,
          free: async () => {
            if (!held.delete(slot) || client !== connection) return;
            await ask(connection, 'pg_advisory_unlock', slot).catch(onError);
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
