import { type AppError, errorCatalogue, invalid, invalidFields } from '#core/errors/errors.ts';
import { toIssues } from '#core/errors/issues.ts';
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
  const parsed = createLinkSchema.safeParse({ ...link.body, domainId, ...(folderId !== undefined && { folderId }) });
  const wrong = parsed.success ? { issues: [], moreIssues: 0 } : toIssues(parsed.error.issues);
  if (link.problems.length > 0 || !parsed.success)
    throw invalidFields([...link.problems, ...wrong.issues], wrong.moreIssues);
  return { ...parsed.data, domainId };
}

/** Describes in one line why a row failed, with every wrong field. */
export function describeRowError({ code, message, details: { issues = [] } }: AppError): string {
  // The issue of another code only tells the field: the message says what is not there.
  const wrong = code === 'VALIDATION_ERROR' ? issues : [];
  const texts = wrong.map((issue) => (issue.path === '' ? issue.message : `${issue.path}: ${issue.message}`));
  const reason = texts.join('; ') || message || errorCatalogue[code].message || 'This row could not be imported.';
  // The code tells which limit it was, as an answer of the API does.
  const text = code === 'PLAN_LIMIT_REACHED' || code === 'FOLDER_LIMIT_REACHED' ? `${code}: ${reason}` : reason;
  return text.length > maxError ? `${text.slice(0, maxError).toWellFormed()} …` : text;
}

/** The error for a row of a domain of which its file tells no name. */
export function unnamedDomain(domainNumber: string): AppError {
  return invalid(
    'domain',
    `has only the number ${domainNumber.slice(0, 40).toWellFormed()}: write its name into a column "domain", or import its rows with domainId`,
  );
}
