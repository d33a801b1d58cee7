import type { PoolClient } from 'pg';
import { sever } from '#db/connection/sever.ts';

// Longer than a batch ever takes, and the one before it that it may wait for: then the connection is given up.
const stepTimeoutMs = 20_000;

/** Gives a connection up that has not answered for long: what waits for it fails then. */
export async function within<T>(client: PoolClient, step: Promise<T>): Promise<T> {
  const timer = setTimeout(() => sever(client), stepTimeoutMs);
  try {
    return await step;
  } finally {
    clearTimeout(timer);
  }
}
