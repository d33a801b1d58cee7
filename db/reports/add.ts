import { uuidv7 } from '#core/lib/uuid.ts';
import type { ReportNote, ReportReason } from '#core/links/report.ts';
import type { Sql } from '#db/connection/database.ts';

/** A report by a visitor; `client` is a keyed hash of the address. */
interface NewReport {
  linkId: string;
  organizationId: string;
  client: string;
  reason: ReportReason;
  comment: string;
}

// Choices: an open report keeps the words of the first visitors, and counts so many at most.
const maxNotes = 50;
const maxClients = 1_000;

// By hand: the edge, which runs this statement, loads no ORM (test/edge/imports.test.ts).
/** Stores a visitor's report: it opens a report of the link, or joins the open one. A client that reported it already is not counted again. */
export async function addLinkReport(
  db: Sql,
  { linkId, organizationId, client, reason, comment }: NewReport,
): Promise<void> {
  const note: ReportNote = { at: new Date().toISOString(), reason, comment };
  await db.query({
    name: 'add-link-report',
    text: `insert into link_reports as r (id, organization_id, link_id, reports, notes, clients)
      values ($1, $2, $3, 1, jsonb_build_array($4::jsonb), array[$5])
      on conflict (link_id) where closed_at is null do update set
        reports = r.reports + 1, clients = r.clients || excluded.clients, reported_at = now(), handled_at = null,
        notes = case when jsonb_array_length(r.notes) < ${maxNotes} then r.notes || excluded.notes else r.notes end
      where not r.clients @> excluded.clients and cardinality(r.clients) < ${maxClients}`,
    values: [uuidv7(), organizationId, linkId, JSON.stringify(note), client],
  });
}
