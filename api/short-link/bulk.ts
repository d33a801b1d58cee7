import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import { AppError, type ErrorCode, type ErrorDetails } from '#core/errors/errors.ts';
import { invalidBy } from '#core/errors/issues.ts';

/** A row of a bulk answer: what it has made, or why not, with the status that it alone would have had. */
export type BulkRow<T> =
  | { status: number; data: T }
  | { status: number; error: ErrorDetails & { code: ErrorCode; message: string } };

/** Presents a row that failed. */
export function failedRow({ status, code, message, details }: AppError): BulkRow<never> {
  return { status, error: { code, message, ...details } };
}

// Rows may have a hundred rules each; others' calls have their turn in between.
const turnMs = 5;

/** Checks rows one by one. @returns each row's value, or what is wrong with it. */
export async function checkRows<S extends z.ZodType>(
  schema: S,
  rows: readonly unknown[],
): Promise<(z.output<S> | AppError)[]> {
  const checked: (z.output<S> | AppError)[] = [];
  let turnEndsAt = performance.now() + turnMs;
  for (const row of rows) {
    const result = schema.safeParse(row);
    checked.push(result.success ? result.data : invalidBy(result.error.issues));
    if (performance.now() < turnEndsAt) continue;
    await nextTurn();
    turnEndsAt = performance.now() + turnMs;
  }
  return checked;
}

// What one statement writes is put together in one go, in which no other call has its turn.
const destinationsAtOnce = 200;

/** Divides links into parts that are made by a statement each: more than one only where they have very many rules. */
export function divideByRules<T extends { rules?: readonly unknown[] | null | undefined }>(links: readonly T[]): T[][] {
  const parts: T[][] = [];
  let room = 0;
  for (const link of links) {
    const destinations = 1 + (link.rules?.length ?? 0);
    const last = parts.at(-1);
    if (last === undefined || room < destinations) {
      parts.push([link]);
      room = destinationsAtOnce;
    } else last.push(link);
    room -= destinations;
  }
  return parts;
}

/** The rows that were right. */
export function rightRows<Row>(rows: readonly (Row | AppError)[]): Row[] {
  return rows.filter((row): row is Row => !(row instanceof AppError));
}

/**
 * Gives each row its result: those that were wrong keep their error, the others get the results of the command, in order.
 */
export function mergeRows<Result>(rows: readonly unknown[], results: readonly Result[]): (AppError | Result)[] {
  const rest = results[Symbol.iterator]();
  return rows.map((row) => (row instanceof AppError ? row : rest.next().value!));
}
