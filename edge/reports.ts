import { createClientLimit } from '#core/limits/client-limit.ts';
import { countCharacters } from '#core/lib/schemas.ts';
import { maxReportComment, reportReasons } from '#core/links/report.ts';
import type { CompiledLink } from '#core/routing/compiled/compiled-link.ts';
import type { Sql } from '#db/connection/database.ts';
import { addLinkReport } from '#db/reports/add.ts';
import { readForm } from './form.ts';
import type { VisitRequest } from './http/exchange.ts';

/** What became of a report; seconds: the client has reported too often. */
type ReportResult = 'stored' | 'invalid' | { retryAfterSeconds: number };

/**
 * Stores a visitor's report of a link. It needs no name and no address of theirs: the database keeps a keyed hash.
 * @throws (rejects) DatabaseUnreachableError.
 */
export type Reports = (request: VisitRequest, link: CompiledLink, address: string) => Promise<ReportResult>;

interface ReportsOptions {
  sql: Sql;
  /** A pseudonym of a client by its address. */
  nameClient(address: string): string;
  /** Unix time in milliseconds. */
  now(): number;
}

// Enough for a person who has received several bad links.
const perMinute = 5;
// A comment's characters take up to twelve bytes each in a form.
const maxBytes = 16_384;

/** Takes reports, a few in a minute of each client network and process. */
export function createReports({ sql, nameClient, now }: ReportsOptions): Reports {
  const limit = createClientLimit({ perWindow: perMinute, windowMs: 60_000, now });
  return async (request, link, address) => {
    const secondsLeft = limit.wait(address);
    if (secondsLeft !== undefined) return { retryAfterSeconds: secondsLeft };
    const form = await readForm(request, maxBytes);
    const reason = reportReasons.find((known) => known === form?.get('reason'));
    // PostgreSQL holds no NUL.
    const comment = (form?.get('comment') ?? '').replaceAll('\r\n', '\n').replaceAll('\0', '').trim();
    if (reason === undefined || countCharacters(comment) > maxReportComment) return 'invalid';
    // A report that is refused takes no query, and is none of the few.
    const retryAfterSeconds = limit.take(address);
    if (retryAfterSeconds !== undefined) return { retryAfterSeconds };
    await addLinkReport(sql, {
      linkId: link.id,
      organizationId: link.organizationId,
      client: nameClient(address),
      reason,
      comment: comment.toWellFormed(),
    });
    return 'stored';
  };
}
