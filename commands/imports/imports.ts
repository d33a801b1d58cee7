import type { Actor } from '#core/audit/actor.ts';
import { AppError, invalid, tooMany } from '#core/errors/errors.ts';
import type { LinkDraft } from '#core/links/draft.ts';
import { webAddressesOfLink } from '#core/links/destination.ts';
import { checkRow, describeRowError } from '#core/imports/rows/check-row.ts';
import type { Separator } from '#core/csv/csv-file.ts';
import { LostValuesFinder } from '#core/imports/rows/lost-values.ts';
import { DateOrderFinder, type DateOrders } from '#core/imports/rows/moments.ts';
import type { FileEncoding } from '#core/csv/encoding.ts';
import type { ImportFormat } from '#core/imports/formats.ts';
import { createRowReader, type ImportedLink } from '#core/imports/rows/row-reader.ts';
import type { ImportEnd } from '#core/imports/states.ts';
import type { Site } from '#core/links/site.ts';
import { uuidv7 } from '#core/lib/uuid.ts';
import { inSlices } from '#core/lib/slices.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import { createEvent } from '#core/webhooks/events.ts';
import { slugKey } from '#core/links/slugs/slug.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Import } from '#db/entities/imports.ts';
import { Organization } from '#db/entities/accounts/people.ts';
import { insertImportRows, readNextRows, type RowResult, storeRowResults } from '#db/imports/imports.ts';
import { findLinksAt, findOwnDomains } from '#db/imports/targets.ts';
import { isDataRefused } from '#db/connection/errors.ts';
import { withSavepoint } from '#db/connection/savepoint.ts';
import { lockPart } from '#db/connection/locks.ts';
import { enqueue } from '#db/outbox.ts';
import { silenceMs } from '#db/outbox-rows.ts';
import type { FindLocalAnswers } from '#commands/threats/local-answers.ts';
import { domainOf, findFolders } from './resolve-targets.ts';
import { requireDomain } from '#commands/links/domain-choice.ts';
import { readReferences, resolveFolder } from '#commands/links/references.ts';
import { recordActivity, recordActivityOf } from '#commands/activity.ts';
import { insertEvents } from '#db/webhooks/insert-events.ts';
import { createLinks } from '#commands/links/create/create.ts';
import type { LinkRequest } from '#commands/links/rows.ts';

interface ImportDraft {
  format: ImportFormat;
  header: readonly string[];
  rows: readonly (readonly string[])[];
  encoding?: FileEncoding;
  separator?: Separator;
  /** Size of the file. */
  bytes: number;
  /** Domain of all links; undefined: of each link the one that its row names, else the default. */
  domainId: string | undefined;
  folderId: string | undefined;
}

interface ImportOptions {
  site: Site;
  now: Date;
  findLocalAnswers: FindLocalAnswers;
}

interface ImportLimits {
  /** Bytes of files that an organization may import in 24 hours. */
  bytesPerDay: number;
}

// One worker at a time handles rows of an organization, so that further imports would only wait.
const maxUnfinished = 3;
const msPerDay = 86_400_000;
// A file of a hundred thousand rows takes minutes.
const unfinishedRetrySeconds = 60;

// A statement is written to the socket in one turn of the event loop, which other calls wait for.
const rowsPerInsert = 1_000;
const charactersPerInsert = 256 * 1_024;
// Rows that are looked at before other work of the process gets a chance.
const rowsAtOnce = 20;

/**
 * Checks that an organization may import another file.
 * @param bytes of the file; 0 where they are not known yet.
 * @throws AppError RATE_LIMIT_EXCEEDED with the time after which it may.
 */
export async function requireImportShare(
  em: EntityManager,
  organizationId: string,
  { bytes, bytesPerDay, now }: ImportLimits & { bytes: number; now: Date },
): Promise<void> {
  const use = await em.getRepository(Import).readUse(organizationId, now);
  if (use.unfinished >= maxUnfinished)
    throw tooMany(`At most ${maxUnfinished} imports may be unfinished at a time.`, unfinishedRetrySeconds);
  if (use.bytes + bytes <= bytesPerDay) return;
  const oldestMs = use.oldestAt?.getTime() ?? now.getTime();
  const retryAfterSeconds = Math.max(1, Math.ceil((oldestMs + msPerDay - now.getTime()) / 1_000));
  throw tooMany(`At most ${bytesPerDay} bytes of files may be imported in 24 hours.`, retryAfterSeconds);
}

/**
 * Stores a file whose rows a workflow turns into links.
 * @throws AppError 403 for another organization's domain or folder, 404 for an unknown one, 400 for a domain that is not
 * verified, 429 past the organization's share.
 */
export async function createImport(
  em: EntityManager,
  actor: Actor,
  { rows, ...draft }: ImportDraft,
  { site, now, bytesPerDay }: ImportLimits & { site: Site; now: Date },
): Promise<Import> {
  const { organizationId, userId: createdBy } = actor;
  const { bytes, domainId, folderId } = draft;
  await lockPart(em, 'imports', organizationId);
  await requireImportShare(em, organizationId, { bytes, bytesPerDay, now });
  const place = { domainId, folderId, destination: { type: 'link' as const, value: '' } };
  const references = await readReferences(em, [organizationId], [place], site);
  if (domainId !== undefined) requireDomain(place, references.domains, actor, site);
  resolveFolder(place, references, actor);
  const { dateOrders, lostColumns } = await surveyRows(draft, rows);
  const made = em.create(Import, {
    id: uuidv7(),
    organization: organizationId,
    createdBy,
    ...draft,
    header: [...draft.header],
    dateOrders,
    lostColumns,
    total: rows.length,
    createdAt: now,
    dueAt: new Date(Date.now() + silenceMs),
  });
  await em.flush();
  const details = { format: draft.format, rows: rows.length };
  await recordActivity(em, actor, { action: 'import.created', subjectId: made.id, name: null, details }, now);
  await enqueue(em, 'import', [made.id]);
  for (let from = 0; from < rows.length;) {
    const batch = takeBatch(rows, from);
    await insertImportRows(em, made.id, from + 1, batch);
    from += batch.length;
  }
  return made;
}

/** A date of any row settles day and month for its column, so that all rows are looked at before the first becomes a link. */
async function surveyRows(
  { format, header }: Pick<ImportDraft, 'format' | 'header'>,
  rows: ImportDraft['rows'],
): Promise<{ dateOrders: DateOrders; lostColumns: string[] }> {
  const orders = new DateOrderFinder(header.length);
  const lost = new LostValuesFinder(format, header);
  for await (const row of inSlices(rows, rowsAtOnce)) {
    orders.add(row);
    lost.add(row);
  }
  return { dateOrders: orders.orders(), lostColumns: lost.columns() };
}

/** The next rows that fit into one statement; at least one. */
function takeBatch(rows: ImportDraft['rows'], from: number): ImportDraft['rows'] {
  let to = from;
  for (let characters = 0; to < rows.length && to - from < rowsPerInsert && characters < charactersPerInsert; to += 1)
    for (const field of rows[to]!) characters += field.length + 1;
  return rows.slice(from, to);
}

export interface ImportProgress extends Pick<Import, 'state' | 'total' | 'imported' | 'skipped' | 'failed'> {
  /** Nothing was done: it begins when no other import of the organization is being undone. */
  isWaiting?: boolean;
}

/**
 * Turns the next rows of an import into links, `limit` at most, and stores the result of each in the same transaction: after a
 * crash the next call continues behind them. Without a row left, or with the plan's links used up, the import ends. It does not begin
 * while another import of the organization is being undone: rows would be skipped for links that then go.
 * @returns its progress; undefined where there is no such import.
 */
export async function importRows(
  em: EntityManager,
  importId: string,
  limit: number,
  options: ImportOptions,
): Promise<ImportProgress | undefined> {
  // The lock keeps other workers from importing its rows meanwhile.
  const held = await em.getRepository(Import).hold(importId, 'no key update');
  if (held === null) return undefined;
  if (held.finishedAt) return progressOf(held);
  const { organization, format, header } = held;
  const owner = await em.findOne(Organization, { id: organization.id, suspendedAt: null }, { refresh: true });
  const rows = owner === null ? [] : await readNextRows(em, held, limit);
  if (owner === null || rows.length === 0) {
    await endImport(em, held, owner === null ? 'failed' : 'completed', options.now);
    return progressOf(held);
  }
  if (held.state === 'pending') {
    // An undo that begins now waits for this transaction, and then for the end of this import.
    await lockPart(em, 'imports', organization.id);
    if ((await em.count(Import, { organization: organization.id, state: 'undoing' })) > 0) {
      held.dueAt = new Date(Date.now() + silenceMs);
      return { ...progressOf(held), isWaiting: true };
    }
  }
  const actor: Actor = {
    organizationId: organization.id,
    plan: owner.plan,
    userId: held.createdBy,
    permissions: { shortLinks: ['create'] },
  };
  const readRow = createRowReader(format, header, { orders: held.dateOrders ?? null, now: options.now });
  const links = rows.map(({ row, fields }) => ({ row, link: readRow(fields) }));
  const results = await makeLinks(em, actor, held, links, options);
  await storeRowResults(em, importId, results);
  return progressOf(held, results);
}

function progressOf({ state, total, ...before }: Import, results: readonly RowResult[] = []): ImportProgress {
  const count = (wanted: RowResult['state']): number =>
    before[wanted] + results.filter((result) => result.state === wanted).length;
  const counts = { imported: count('imported'), skipped: count('skipped'), failed: count('failed') };
  return { state: results.length === 0 ? state : 'running', total, ...counts };
}

/**
 * Ends an import early: links that exist stay, the other rows are dropped. Waits for a batch that is under way.
 * @throws AppError NOT_FOUND; VALIDATION_ERROR where it has ended.
 */
export async function stopImport(em: EntityManager, importId: string, now: Date): Promise<Import> {
  const held = await em.getRepository(Import).hold(importId, 'no key update');
  if (held === null) throw new AppError('NOT_FOUND', 'This import does not exist.');
  if (held.finishedAt) throw invalid('id', `The import is over: ${held.state}.`);
  await endImport(em, held, 'failed', now);
  return held;
}

/**
 * Cancels an import of the actor's organization: links that exist stay, the other rows are dropped. Waits for a batch that is under
 * way; the workflow's next one finds that the import has ended. An import that has ended stays as it is.
 * @throws AppError NOT_FOUND; FORBIDDEN for another organization's.
 */
export async function cancelImport(em: EntityManager, actor: Actor, importId: string, now: Date): Promise<Import> {
  requireOwn(await em.findOne(Import, { id: importId }), actor, 'import');
  const held = requireOwn(await em.getRepository(Import).hold(importId, 'no key update'), actor, 'import');
  if (held.finishedAt) return held;
  await recordActivity(em, actor, { action: 'import.cancelled', subjectId: importId, name: null }, now);
  await endImport(em, held, 'cancelled', now);
  return held;
}

/**
 * Ends an import that the transaction has locked, drops the rows that are left, and writes `import.completed`; a deleted
 * organization gets no event.
 */
async function endImport(em: EntityManager, held: Import, state: ImportEnd, now: Date): Promise<void> {
  held.finish(state, now);
  const notMade = held.countNotMade();
  if (notMade > 0) await em.getRepository(Import).dropRest(held);
  const { id, format, total, imported, skipped, failed, createdAt } = held;
  const organizationId = held.organization.id;
  if ((await em.findOne(Organization, { id: organizationId })) === null) return;
  const ended = { id, format, state, total, imported, skipped, failed, notMade };
  const data = { import: { ...ended, createdAt: createdAt.toISOString(), finishedAt: now.toISOString() } };
  const details = { state, total, imported, skipped, failed, notMade };
  await recordActivityOf(
    em,
    organizationId,
    'system',
    { action: 'import.completed', subjectId: id, name: null, details },
    now,
  );
  await insertEvents(em, [createEvent('import.completed', { organizationId, linkId: null, data, now })]);
}

/** Imports the next row alone; where the database refuses its data, the row fails and the import goes on. */
export async function importRowAlone(
  em: EntityManager,
  importId: string,
  options: ImportOptions,
): Promise<ImportProgress | undefined> {
  // The savepoint begins once the import is held: no other worker has moved on to a later row.
  const isHeld = (await em.getRepository(Import).hold(importId, 'no key update')) !== null;
  try {
    return await withSavepoint(em, () => importRows(em, importId, 1, options));
  } catch (error) {
    if (!isHeld || !isDataRefused(error)) throw error;
  }
  em.clear();
  const held = await em.findOneOrFail(Import, { id: importId });
  const rows = await readNextRows(em, held, 1);
  const results = rows.map(({ row }) => failed(row, 'The database refuses this row.'));
  await storeRowResults(em, importId, results);
  return progressOf(held, results);
}

interface Row {
  row: number;
  link: ImportedLink;
}

interface ReadyRow {
  row: number;
  draft: LinkDraft & { domainId: string };
  createdAt: Date | undefined;
}

async function makeLinks(
  em: EntityManager,
  actor: Actor,
  { domainId = null, folderId = null }: Import,
  rows: readonly Row[],
  { site, now, findLocalAnswers }: ImportOptions,
): Promise<RowResult[]> {
  const domains = await findOwnDomains(em, actor.organizationId);
  const folders = await findFolders(em, actor, folderId === null ? rows.map(({ link }) => link) : [], now);
  const results: RowResult[] = [];
  const ready: ReadyRow[] = [];
  for await (const { row, link } of inSlices(rows, rowsAtOnce)) {
    try {
      const draft = checkRow(link, {
        domainId: domainId ?? domainOf(link, domains, actor, site),
        folderId: folderId ?? folders.idOf(link.folder),
      });
      ready.push({ row, draft, createdAt: earlier(link.createdAt, now) });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      results.push(failed(row, describeRowError(error)));
    }
  }
  const urls = ready.flatMap(({ draft }) => webAddressesOfLink(draft));
  const localAnswers = await findLocalAnswers(actor.organizationId, urls);
  const requests = ready.map(({ draft, createdAt }): LinkRequest => ({
    actor,
    draft,
    localAnswers,
    ...(createdAt && { createdAt }),
  }));
  const made =
    requests.length === 0 ? [] : await createLinks(em, requests, { site, now, mayBeExpired: true, isBulk: true });
  const used = new Set<string>();
  const refused: { ready: ReadyRow; error: AppError }[] = [];
  for (const [index, result] of made.entries()) {
    const { row, draft } = ready[index]!;
    if (result instanceof AppError) refused.push({ ready: ready[index]!, error: result });
    else {
      results.push({ row, state: 'imported', shortLinkId: result.id, error: null });
      if (draft.folderId !== undefined) used.add(draft.folderId);
    }
  }
  await folders.removeUnused(used);
  return [...results, ...(await divideRefused(em, actor, refused))];
}

/** Divides refused rows: skipped where the link exists already and leads to the same destination, failed otherwise. */
async function divideRefused(
  em: EntityManager,
  { organizationId }: Actor,
  refused: readonly { ready: ReadyRow; error: AppError }[],
): Promise<RowResult[]> {
  const taken = refused.filter(({ error, ready }) => error.code === 'ALREADY_EXIST' && ready.draft.slug !== undefined);
  const there = await findLinksAt(
    em,
    organizationId,
    taken.map(({ ready: { draft } }) => ({ domainId: draft.domainId, slug: draft.slug! })),
  );
  return refused.map(({ ready: { row, draft }, error }) => {
    const same = there.find(
      ({ domainId, slug, type, value }) =>
        domainId === draft.domainId &&
        slugKey(slug) === slugKey(draft.slug ?? '') &&
        type === draft.destination.type &&
        value === draft.destination.value,
    );
    if (same === undefined || error.code !== 'ALREADY_EXIST') return failed(row, describeRowError(error));
    return { row, state: 'skipped', shortLinkId: same.id, error: 'This link is there already.' };
  });
}

/** A date of creation in the future counts as now. */
function earlier(moment: Date | undefined, now: Date): Date | undefined {
  return moment !== undefined && moment < now ? moment : undefined;
}

function failed(row: number, error: string): RowResult {
  return { row, state: 'failed', shortLinkId: null, error };
}
