import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import type { Actor } from '../core/actor.ts';
import { AppError, errorCatalogue, invalidFields } from '../core/errors.ts';
import { fold } from '../core/fold.ts';
import { toIssues } from '../core/issues.ts';
import { labelNameSchema } from '../core/label.ts';
import { createLinkSchema, type LinkDraft } from '../core/link-draft.ts';
import { createRowReader, type ImportedLink, type ImportFormat } from '../core/link-import.ts';
import type { Site } from '../core/site.ts';
import type { Sql } from '../db/database.ts';
import type { DomainRow } from '../db/link-context.ts';
import {
  finishImport,
  type HeldImport,
  holdImport,
  insertImport,
  insertImportRows,
  readNextRows,
  type RowResult,
  storeRowResults,
} from '../db/imports.ts';
import { findLinksAt, findOwnDomains, findOwnFolders } from '../db/import-places.ts';
import { createFolder } from './folders.ts';
import { readReferences, resolveDomain, resolveFolder } from './link-references.ts';
import { createLinksOf, type LinkRequest } from './links.ts';

/** A file of links, read. */
export interface ImportDraft {
  format: ImportFormat;
  header: readonly string[];
  rows: readonly (readonly string[])[];
  /** Where all of them go; undefined: where each says, else to the default. */
  domainId: string | undefined;
  folderId: string | undefined;
}

/** What imports need besides the database. */
export interface ImportOptions {
  site: Site;
  now: Date;
}

const rowsPerInsert = 1_000;
const folderSchema = z.strictObject({ folder: labelNameSchema });

/**
 * Writes down a file whose rows are to be made into links by a workflow; the caller commits, then wakes the relay.
 * @returns its id.
 * @throws AppError 403 for another organization's domain or folder, 404 for an unknown one, 400 for a domain that is not
 * verified.
 */
export async function createImport(
  tx: Sql,
  actor: Actor,
  { format, header, rows, domainId, folderId }: ImportDraft,
  { site, now }: ImportOptions,
): Promise<string> {
  const { organizationId, userId } = actor;
  const place = { domainId, folderId, destination: { type: 'link' as const, value: '' } };
  const references = await readReferences(tx, [organizationId], [place], site);
  if (domainId !== undefined) resolveDomain(place, references.domains, actor, site);
  resolveFolder(place, references, actor);
  const id = uuidv7();
  await insertImport(tx, {
    id,
    organizationId,
    createdBy: userId,
    format,
    header,
    domainId: domainId ?? null,
    folderId: folderId ?? null,
    total: rows.length,
    now,
  });
  for (let from = 0; from < rows.length; from += rowsPerInsert)
    await insertImportRows(tx, id, from + 1, rows.slice(from, from + rowsPerInsert));
  return id;
}

/** How far an import is. */
export type ImportProgress = Pick<HeldImport, 'state' | 'total' | 'imported' | 'skipped' | 'failed'>;

/**
 * Makes the next rows of an import into links, `limit` at most, with what became of each in the same transaction: whoever
 * comes after a crash goes on behind them. With no row left, or an organization that may have no more links, the import ends.
 * @returns how far it is; undefined where there is none.
 */
export async function importRows(
  tx: Sql,
  importId: string,
  limit: number,
  options: ImportOptions,
): Promise<ImportProgress | undefined> {
  const held = await holdImport(tx, importId);
  if (held === undefined || held.finishedAt !== null) return held;
  const rows = held.plan === null ? [] : await readNextRows(tx, importId, limit);
  if (held.plan === null || rows.length === 0) {
    const state = rows.length === 0 && held.plan !== null ? 'completed' : 'failed';
    await finishImport(tx, { id: importId, state, now: options.now });
    return { ...held, state };
  }
  const actor: Actor = {
    organizationId: held.organizationId,
    plan: held.plan,
    userId: held.createdBy,
    permissions: { shortLinks: ['create'] },
  };
  const readRow = createRowReader(held.format, held.header);
  const links = rows.map(({ row, fields }) => ({ row, link: readRow(fields) }));
  const results = await makeLinks(tx, actor, held, links, options);
  await storeRowResults(tx, importId, results);
  const count = (state: RowResult['state']): number => results.filter((result) => result.state === state).length;
  return {
    state: 'running',
    total: held.total,
    imported: held.imported + count('imported'),
    skipped: held.skipped + count('skipped'),
    failed: held.failed + count('failed'),
  };
}

/** Gives up a row that the database refuses, whatever the reason. */
export async function giveUpRow(tx: Sql, importId: string): Promise<void> {
  const held = await holdImport(tx, importId);
  const [next] = held === undefined ? [] : await readNextRows(tx, importId, 1);
  if (next !== undefined) await storeRowResults(tx, importId, [failed(next.row, 'The database refuses this row.')]);
}

interface Row {
  row: number;
  link: ImportedLink;
}

/** A row that a link can be made of. */
interface ReadyRow {
  row: number;
  draft: LinkDraft & { domainId: string };
  createdAt: Date | undefined;
}

async function makeLinks(
  tx: Sql,
  actor: Actor,
  held: HeldImport,
  rows: readonly Row[],
  { site, now }: ImportOptions,
): Promise<RowResult[]> {
  const domains = await findOwnDomains(tx, actor.organizationId);
  const folders = await findFolders(tx, actor, held, rows, now);
  const results: RowResult[] = [];
  const ready: ReadyRow[] = [];
  for (const { row, link } of rows) {
    try {
      if (link.problem !== undefined) throw new AppError('VALIDATION_ERROR', link.problem);
      const domainId = held.domainId ?? domainOf(link, domains, actor, site);
      const folderId = held.folderId ?? folders(link.folder);
      const parsed = createLinkSchema.safeParse({ ...link.body, domainId, ...(folderId && { folderId }) });
      if (!parsed.success) throw invalidFields(toIssues(parsed.error.issues));
      ready.push({ row, draft: { ...parsed.data, domainId }, createdAt: earlier(link.createdAt, now) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      results.push(failed(row, describe(error)));
    }
  }
  const requests = ready.map(({ draft, createdAt }): LinkRequest => ({
    actor,
    draft,
    ...(createdAt && { createdAt }),
  }));
  const made = requests.length === 0 ? [] : await createLinksOf(tx, requests, { site, now, mayBeExpired: true });
  const refused: { ready: ReadyRow; error: AppError }[] = [];
  for (const [index, result] of made.entries()) {
    const { row } = ready[index]!;
    if (result.ok) results.push({ row, state: 'imported', shortLinkId: result.id, error: null });
    else refused.push({ ready: ready[index]!, error: result.error });
  }
  return [...results, ...(await tellSkipped(tx, actor, refused))];
}

/** Tells rows whose link is there already, leading to the same place, from those that could not be made. */
async function tellSkipped(
  tx: Sql,
  { organizationId }: Actor,
  refused: readonly { ready: ReadyRow; error: AppError }[],
): Promise<RowResult[]> {
  const taken = refused.filter(({ error, ready }) => error.code === 'ALREADY_EXIST' && ready.draft.slug !== undefined);
  const there = await findLinksAt(
    tx,
    organizationId,
    taken.map(({ ready: { draft } }) => ({ domainId: draft.domainId, slug: draft.slug! })),
  );
  return refused.map(({ ready: { row, draft }, error }) => {
    const same = there.find(
      ({ domainId, slug, type, value }) =>
        domainId === draft.domainId &&
        slug === draft.slug &&
        type === draft.destination.type &&
        value === draft.destination.value,
    );
    if (same === undefined || error.code !== 'ALREADY_EXIST') return failed(row, describe(error));
    return { row, state: 'skipped', shortLinkId: same.id, error: 'This link is there already.' };
  });
}

/** The domain of a row: its own where the organization has it, else the default one. */
function domainOf(
  { domain, needsDomain }: ImportedLink,
  domains: readonly DomainRow[],
  actor: Actor,
  site: Site,
): string {
  const find = (wanted: { domain?: string }): string => resolveDomain(wanted, domains, actor, site).id;
  if (domain === undefined) return find({});
  try {
    return find({ domain });
  } catch (error) {
    if (needsDomain || !(error instanceof AppError)) throw error;
    return find({});
  }
}

/** Finds the folders that rows name, and makes those that are not there. @returns the id of each; it throws why there is none. */
async function findFolders(
  tx: Sql,
  actor: Actor,
  held: HeldImport,
  rows: readonly Row[],
  now: Date,
): Promise<(folder: string | undefined) => string | undefined> {
  const ids = new Map<string, string | AppError>();
  const names = new Map<string, string>();
  if (held.folderId === null)
    for (const { link } of rows) if (link.folder !== undefined) names.set(fold(link.folder.trim()), link.folder.trim());
  for (const { id, nameKey } of await findOwnFolders(tx, actor.organizationId, [...names.keys()])) ids.set(nameKey, id);
  for (const [key, text] of names) if (!ids.has(key)) ids.set(key, await makeFolder(tx, actor, text, now));
  return (folder) => {
    if (folder === undefined) return undefined;
    const id = ids.get(fold(folder.trim()))!;
    if (id instanceof AppError) throw id;
    return id;
  };
}

async function makeFolder(tx: Sql, actor: Actor, text: string, now: Date): Promise<string | AppError> {
  const parsed = folderSchema.safeParse({ folder: text });
  if (!parsed.success) return invalidFields(toIssues(parsed.error.issues));
  try {
    return await createFolder(tx, actor, { name: parsed.data.folder }, { now });
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** A link is not made later than now. */
function earlier(moment: Date | undefined, now: Date): Date | undefined {
  return moment !== undefined && moment < now ? moment : undefined;
}

function failed(row: number, error: string): RowResult {
  return { row, state: 'failed', shortLinkId: null, error };
}

/** Says in a line what was wrong, every field of it. */
function describe({ code, message, details: { issues = [] } }: AppError): string {
  const texts = issues.map((issue) => (issue.path === '' ? issue.message : `${issue.path}: ${issue.message}`));
  return texts.join('; ') || message || errorCatalogue[code].message || 'This row could not be imported.';
}
