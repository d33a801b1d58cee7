import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import { AppError, type ErrorCode, type ErrorDetails } from '#core/errors/errors.ts';
import { invalidBy } from '#core/errors/issues.ts';

/** One row of a bulk answer; `status` is what the row alone would have been answered. */
export type BulkRow<T> =
  | { status: number; data: T }
  | { status: number; error: ErrorDetails & { code: ErrorCode; message: string } };

export function failedRow({ status, code, message, details }: AppError): BulkRow<never> {
  return { status, error: { code, message, ...details } };
}

// Rows may have a hundred rules each: after 5 ms other calls get a turn of the event loop. The figure is a choice.
const turnMs = 5;

/** Validates rows one by one, yielding to other calls. @returns each row's value or error. */
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

// Building a statement does not yield to other calls, so a statement has a bounded number of destinations. A choice.
const destinationsAtOnce = 100;

/** Divides links into one part for each INSERT: more than one only where links have very many rules. */
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

export function rightRows<Row>(rows: readonly (Row | AppError)[]): Row[] {
  return rows.filter((row): row is Row => !(row instanceof AppError));
}

/**
 * Puts the command's results back in place: invalid rows keep their error, valid rows get the results in order.
 */
export function mergeRows<Result>(rows: readonly unknown[], results: readonly Result[]): (AppError | Result)[] {
  const rest = results[Symbol.iterator]();
  return rows.map((row) => (row instanceof AppError ? row : rest.next().value!));
}
