import type { ForkOptions, TransactionOptions as OrmTransactionOptions } from '@mikro-orm/core';
import { EntityManager as PostgresEntityManager, Kysely } from '@mikro-orm/postgresql';
import type { InferKyselyDB } from '@mikro-orm/sql';
import { type PostgresPool, PostgresDialect } from 'kysely';
import type { PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import type { entities } from '#db/entities.ts';
import { clientOf, connection, type Database, type Transaction, type TransactionOptions } from './database.ts';
import { isConnectionError } from './errors.ts';

const naming = { tableNamingStrategy: 'entity', columnNamingStrategy: 'property', convertValues: true } as const;

/** What `kysely` knows: tables by the names of their entities, columns by the names of their properties. */
export type Tables = InferKyselyDB<(typeof entities)[number], typeof naming>;

/**
 * MikroORM's entity manager on the pool of a process. Each request, activity, call of the command line and turn of the relay
 * has a fork of its own. Inside `transactional` entities, `kysely` and statements by hand (`query`) share one connection, and
 * every function that takes `Sql` or `Transaction` takes the entity manager.
 *
 * Changes of entities are written by `flush`, at the latest before the commit. `kysely` and `query` see only what is flushed.
 */
export class EntityManager extends PostgresEntityManager implements Transaction {
  #database: Database | undefined;
  #transaction: Transaction | undefined;

  /** Puts this entity manager, and forks made of it from now on, on the pool of a process. */
  useDatabase(database: Database): this {
    this.#database = database;
    return this;
  }

  get #pool(): Database {
    if (this.#database === undefined)
      throw new Error('This entity manager has no database: createEntityManager gives it one.');
    return this.#database;
  }

  /** The transaction under way, else the pool. */
  get #sql(): Transaction {
    return this.#transaction ?? this.#pool;
  }

  override fork(options?: ForkOptions): this {
    const fork = super.fork(options);
    fork.#database = this.#database;
    if (options?.keepTransactionContext === true) fork.#transaction = this.#transaction;
    return fork;
  }

  /**
   * Runs `work` in one transaction with an entity manager of its own, flushes and commits; within a transaction it joins that
   * one. Rolls back and rethrows when `work` fails. Where the database ended it to resolve a deadlock, `work` runs again, four
   * times at most: it must do nothing that a rollback does not undo, and must change no entity of another entity manager.
   */
  override async transactional<T>(
    work: (em: this) => T | Promise<T>,
    options: TransactionOptions & Pick<OrmTransactionOptions, 'flushMode'> = {},
  ): Promise<T> {
    if (this.#transaction !== undefined) return work(this);
    const { flushMode, ...transactionOptions } = options;
    return this.#pool.transaction(async (tx) => {
      const em = this.fork(flushMode === undefined ? {} : { flushMode });
      em.#transaction = tx;
      em.setTransactionContext(kyselyOn(clientOf(tx)));
      const result = await work(em);
      await em.flush();
      return result;
    }, transactionOptions);
  }

  /** @throws Error outside of `transactional` where there are changes: MikroORM would begin a transaction without our options. */
  override async flush(): Promise<void> {
    if (this.#transaction === undefined) {
      this.getUnitOfWork().computeChangeSets();
      if (this.getUnitOfWork().getChangeSets().length > 0)
        throw new Error('Entities are changed only within em.transactional.');
      return;
    }
    await super.flush();
  }

  /** Kysely with the entities' names: `selectFrom('Folder').select('nameKey')`. Filters of entities do not apply to it. */
  get kysely(): Kysely<Tables> {
    return this.getKysely(naming);
  }

  /** For `clientOf`. */
  get [connection](): PoolClient {
    return clientOf(this.#sql);
  }

  query<R extends QueryResultRow>(query: string | QueryConfig, values?: unknown[]): Promise<QueryResult<R>> {
    return this.#sql.query<R>(query, values);
  }

  wakeRelaysAfterCommit(): void {
    this.#sql.wakeRelaysAfterCommit();
  }
}

const contexts = new WeakMap<PoolClient, Kysely<unknown>>();

/** Kysely on the connection of a transaction; MikroORM takes it for the context of that transaction. */
function kyselyOn(client: PoolClient): Kysely<unknown> {
  let kysely = contexts.get(client);
  if (kysely === undefined) {
    kysely = createKysely({
      connect: async () => ({ query: client.query.bind(client), release: () => undefined }),
    });
    contexts.set(client, kysely);
  }
  return kysely;
}

/** Kysely on the pool of a process, for what runs outside of transactions; it counts errors as the pool does. */
export function kyselyOnPool({ pool, errors }: Database): Kysely<unknown> {
  const note = (error: unknown): never => {
    errors.note(error);
    throw error;
  };
  return createKysely({
    async connect() {
      const client = await pool.connect().catch(note);
      let broken: Error | undefined;
      const query = (sql: string, values?: unknown[]): Promise<QueryResult> =>
        client.query(sql, values).catch((error: Error) => {
          // Its statement may still run, after a timeout: the connection is not used again.
          if (isConnectionError(error)) broken = error;
          return note(error);
        });
      return { query: query as PoolClient['query'], release: () => client.release(broken) };
    },
  });
}

function createKysely({ connect }: { connect(): Promise<Pick<PoolClient, 'query' | 'release'>> }): Kysely<unknown> {
  // The database of the process ends its pool.
  const pool = { connect, end: async () => undefined, options: {} } as unknown as PostgresPool;
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}
