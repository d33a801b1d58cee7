import type { Transaction } from './database.ts';

/**
 * Runs a part of a transaction that is undone alone: when it throws, or when `keeps` refuses its result. May be nested.
 * Entities that the part has changed keep their new values: clear the entity manager, or set them again.
 */
export async function withSavepoint<T>(
  tx: Transaction,
  work: () => Promise<T>,
  keeps: (result: T) => boolean = () => true,
): Promise<T> {
  // The inner one of two savepoints of one name hides the outer one, until it is released.
  const undo = 'rollback to savepoint part; release savepoint part';
  await tx.query('savepoint part');
  try {
    const result = await work();
    await tx.query(keeps(result) ? 'release savepoint part' : undo);
    return result;
  } catch (error) {
    await tx.query(undo);
    throw error;
  }
}
