import type { PoolClient } from 'pg';
import { sever } from '#db/connection/database.ts';

// Longer than a batch ever takes. PostgreSQL's own deadline is 30 s (db/clicks/ingest.ts).
const stepTimeoutMs = 20_000;

/** Waits for statements of a connection, and severs it after 20 s without an answer: the statements fail then. */
export async function withDeadline<T>(client: PoolClient, step: Promise<T>): Promise<T> {
  const timer = setTimeout(() => sever(client), stepTimeoutMs);
  try {
    return await step;
  } finally {
    clearTimeout(timer);
  }
}
