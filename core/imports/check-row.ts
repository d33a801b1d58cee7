import { AppError, errorCatalogue } from '#core/errors/errors.ts';
import { invalidBy } from '#core/errors/issues.ts';
import { createLinkSchema, type LinkDraft } from '#core/links/draft.ts';
import type { ImportedLink } from './row-reader.ts';

/** Where a row's link shall be. */
interface RowTarget {
  domainId: string;
  /** Undefined: the default folder. */
  folderId: string | undefined;
}

// A choice, in characters: a row may be wrong in thousands of ways, and a reader mends a few at a time.
const maxError = 2_000;

/**
 * Checks the link of a row as a create would, but for what depends on other links.
 * @throws AppError VALIDATION_ERROR
 */
export function checkRow(link: ImportedLink, { domainId, folderId }: RowTarget): LinkDraft & { domainId: string } {
  if (link.problem !== undefined) throw new AppError('VALIDATION_ERROR', link.problem);
  const parsed = createLinkSchema.safeParse({ ...link.body, domainId, ...(folderId !== undefined && { folderId }) });
  if (!parsed.success) throw invalidBy(parsed.error.issues);
  return { ...parsed.data, domainId };
}

/** Describes in one line why a row failed, with every wrong field. */
export function describeRowError({ code, message, details: { issues = [] } }: AppError): string {
  const texts = issues.map((issue) => (issue.path === '' ? issue.message : `${issue.path}: ${issue.message}`));
  const reason = texts.join('; ') || message || errorCatalogue[code].message || 'This row could not be imported.';
  // The code tells which limit it was, as an answer of the API does.
  const text = code === 'PLAN_LIMIT_REACHED' || code === 'FOLDER_LIMIT_REACHED' ? `${code}: ${reason}` : reason;
  return text.length > maxError ? `${text.slice(0, maxError).toWellFormed()} …` : text;
}
