/** SQL: sets `updated_at` to a moment later than the last one: a version is identified by it. */
export const updatedLater = (now: string): string =>
  `updated_at = greatest(${now}, updated_at + interval '1 millisecond')`;
