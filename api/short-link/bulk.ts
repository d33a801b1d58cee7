import type { z } from 'zod';
import { AppError, type ErrorCode, type ErrorDetails } from '../../core/errors.ts';
import { invalidBy } from '../../core/issues.ts';

/** A row of a bulk answer: what it has made, or why not, with the status that it alone would have had. */
export type BulkRow<T> =
  | { status: number; data: T }
  | { status: number; error: ErrorDetails & { code: ErrorCode; message: string } };

/** Presents a row that failed. */
export function failedRow({ status, code, message, details }: AppError): BulkRow<never> {
  return { status, error: { code, message, ...details } };
}

/** Checks rows one by one. @returns each row's value, or what is wrong with it. */
export function checkRows<S extends z.ZodType>(schema: S, rows: readonly unknown[]): (z.output<S> | AppError)[] {
  return rows.map((row) => {
    const result = schema.safeParse(row);
    return result.success ? result.data : invalidBy(result.error.issues);
  });
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
