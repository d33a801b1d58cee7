const uniqueViolation = '23505';

/** Whether a statement failed because a unique index has such a row already. */
export function isDuplicate(error: unknown, index: string): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === uniqueViolation && constraint === index;
}
