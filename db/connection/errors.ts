const uniqueViolation = '23505';

/** Whether a statement failed because a unique index has such a row already. */
export function isDuplicate(error: unknown, index: string): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === uniqueViolation && constraint === index;
}

const foreignKeyViolation = '23503';

/** Whether a row could not be removed because others refer to it. */
export function isReferred(error: unknown): boolean {
  return (error as { code?: string }).code === foreignKeyViolation;
}

const undefinedTable = '42P01';
const undefinedColumn = '42703';

/** Whether a statement failed because the schema lacks a table or a column. */
export function isUnknownRelation(error: unknown): boolean {
  return [undefinedTable, undefinedColumn].includes((error as { code?: string }).code ?? '');
}
