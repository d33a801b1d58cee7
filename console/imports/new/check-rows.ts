import { readDomainName } from '#core/domains/name.ts';
import { AppError, invalid } from '#core/errors/errors.ts';
import { checkRow, describeRowError, unnamedDomain } from '#core/imports/rows/check-row.ts';
import type { CsvFile } from '#core/csv/csv-file.ts';
import type { ImportFormat } from '#core/imports/formats.ts';
import { LostValuesFinder } from '#core/imports/rows/lost-values.ts';
import { DateOrderFinder } from '#core/imports/rows/moments.ts';
import { listRemarks } from '#core/imports/remarks.ts';
import { createRowReader, type ImportedLink } from '#core/imports/rows/row-reader.ts';
import { slugKey } from '#core/links/slugs/slug.ts';
import { defaultDomainOf, type UsableDomain } from '#console/api/links/usable-domains.ts';

/** A domain that links may be on. */
export interface TargetDomain extends UsableDomain {
  /** As short URLs have it, with its port. */
  shown: string;
}

/** How a file is to be read. */
export interface CheckSettings {
  format: ImportFormat;
  /** Names of the columns, as the file will be sent. */
  header: readonly string[];
  domains: readonly TargetDomain[];
  /** The domain of all links; undefined: of each the one that its row names, else the default. */
  domainId: string | undefined;
}

/** A row as the link that it becomes. */
export interface PreviewRow {
  /** From 1; the header is not counted. */
  row: number;
  domain: string;
  /** Undefined: the slug is generated. */
  slug: string | undefined;
  destination: string;
  title: string | undefined;
  tags: readonly string[];
  folder: string | undefined;
  /** Why it fails; undefined: nothing speaks against it. */
  problem: string | undefined;
}

/** Rows that fail for one reason. */
interface Reason {
  text: string;
  count: number;
  /** The first of them. */
  rows: number[];
}

/** What a check has found so far. */
export interface CheckResult {
  done: number;
  total: number;
  ready: number;
  /** Rows whose link stands in the file before. */
  repeated: number;
  failed: number;
  /** The most frequent first. */
  reasons: Reason[];
  /** The first rows. */
  preview: PreviewRow[];
  /** What a reader would not expect of the file, as the import's answer says it. */
  remarks: string[];
}

/** Rows that are shown as links. */
export const previewRows = 20;
const mostReasons = 20;
const shownRows = 5;
// Reasons quote no values, so that files have few; this bounds what a strange one costs.
const knownReasons = 1_000;

/** Checks rows as an import would, but for what only the API knows, such as slugs that are taken. */
export class RowCheck {
  readonly #settings: CheckSettings;
  readonly #rows: readonly (readonly string[])[];
  readonly #read: (fields: readonly string[]) => ImportedLink;
  readonly #reasons = new Map<string, Reason>();
  readonly #named = new Map<string, string>();
  readonly #found: CheckResult;

  constructor({ rows, encoding }: Pick<CsvFile, 'rows' | 'encoding'>, settings: CheckSettings) {
    const { format, header } = settings;
    this.#rows = rows;
    this.#settings = settings;
    const finder = new DateOrderFinder(header.length);
    const lost = new LostValuesFinder(format, header);
    for (const row of rows) {
      finder.add(row);
      lost.add(row);
    }
    const orders = finder.orders();
    this.#read = createRowReader(format, header, { orders });
    const remarks = listRemarks({ format, header, encoding, dateOrders: orders, lostColumns: lost.columns() });
    this.#found = { done: 0, total: rows.length, ready: 0, repeated: 0, failed: 0, reasons: [], preview: [], remarks };
  }

  /** Checks some more rows. @returns whether there are more. */
  next(count: number): boolean {
    const found = this.#found;
    const end = Math.min(found.total, found.done + count);
    for (; found.done < end; found.done += 1) this.#check(found.done);
    return end < found.total;
  }

  result(): CheckResult {
    const reasons = [...this.#reasons.values()].toSorted((one, other) => other.count - one.count);
    return { ...this.#found, reasons: reasons.slice(0, mostReasons) };
  }

  #check(index: number): void {
    const row = index + 1;
    const link = this.#read(this.#rows[index]!);
    let domain: TargetDomain | undefined;
    let problem: string | undefined;
    try {
      domain = chooseDomain(link, this.#settings);
      const { slug, destination } = checkRow(link, { domainId: domain.id, folderId: undefined });
      const name = slug === undefined ? undefined : `${domain.id} ${slugKey(slug)}`;
      const earlier = name === undefined ? undefined : this.#named.get(name);
      if (earlier === undefined) this.#found.ready += 1;
      else if (earlier === destination.value) this.#found.repeated += 1;
      else throw invalid('slug', 'stands in the file before, with another destination');
      if (name !== undefined) this.#named.set(name, destination.value);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      problem = describeRowError(error);
      this.#fail(problem, row);
    }
    if (row <= previewRows) this.#found.preview.push(toPreview(row, link, domain, problem));
  }

  #fail(text: string, row: number): void {
    this.#found.failed += 1;
    const reason = this.#reasons.get(text);
    if (reason === undefined) {
      if (this.#reasons.size < knownReasons) this.#reasons.set(text, { text, count: 1, rows: [row] });
      return;
    }
    reason.count += 1;
    if (reason.rows.length < shownRows) reason.rows.push(row);
  }
}

/** The domain of a row's link, as the import chooses it. @throws AppError where it may have no other. */
function chooseDomain(
  { domain: name, domainNumber, needsDomain }: ImportedLink,
  { domains, domainId }: CheckSettings,
): TargetDomain {
  const standard = defaultDomainOf(domains);
  const chosen = domains.find(({ id }) => id === domainId);
  if (chosen !== undefined) return chosen;
  if (domainNumber !== undefined) throw unnamedDomain(domainNumber);
  if (standard === undefined) throw new AppError('NOT_FOUND', 'There is no domain for this link.');
  if (name === undefined) return standard;
  const wanted = new Set([name.trim().toLowerCase(), readDomainName(name).domain]);
  const named = domains
    .filter(({ domain, shown }) => wanted.has(domain) || wanted.has(shown))
    .toSorted((one) => (one.createdAt === null ? 1 : -1))[0];
  if (named !== undefined && (named.isVerified || named.createdAt === null)) return named;
  if (!needsDomain) return standard;
  throw named === undefined
    ? new AppError('NOT_FOUND', 'This domain does not exist.')
    : invalid('domain', 'is not verified yet');
}

function toPreview(
  row: number,
  { body, folder }: ImportedLink,
  domain: TargetDomain | undefined,
  problem: string | undefined,
): PreviewRow {
  const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
  const { destination, slug, title, tags } = body as { destination?: { value?: unknown } } & Record<string, unknown>;
  return {
    row,
    domain: domain?.shown ?? '',
    slug: text(slug),
    destination: text(destination?.value) ?? '',
    title: text(title),
    tags: Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === 'string') : [],
    folder,
    problem,
  };
}
