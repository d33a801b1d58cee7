import { splitWords } from '#core/lib/text/split-words.ts';

/** Services that a file of links may come from; `csv` is any other file, read by the names of its columns. */
export const importFormats = [
  'waymark',
  'bitly',
  'yourls',
  'kutt',
  'shlink',
  'csv',
  'dub',
  'shortio',
  'rebrandly',
  'polr',
] as const;
export type ImportFormat = (typeof importFormats)[number];

/** Names of columns, as `columnName` writes them; the first column that has a value counts. */
export interface Columns {
  destination: readonly string[];
  /** Columns that tell this format from the others, together with the destination's: one of each list. */
  marks: readonly (readonly string[])[];
  shortUrl?: readonly string[];
  /** Columns of the destination that hold the short URL where another one holds the destination, and none is named for it. */
  shortOrDestination?: readonly string[];
  slug?: readonly string[];
  title?: readonly string[];
  notes?: readonly string[];
  tags?: readonly string[];
  createdAt?: readonly string[];
  domain?: readonly string[];
  folder?: readonly string[];
  /** Whether values are taken as a create takes them: titles whole, rules too, and no other domain than the one that is named. */
  isAsCreate?: true;
  /** Whether archived links redirect at the service: they are imported active, with a tag. */
  archivedRedirects?: true;
  /** What links may have at the service, though not each of its files has a column for it. */
  limits?: readonly LinkLimit[];
}

export type LinkLimit = 'passwords' | 'ends' | 'caps';

/** The columns of each format, in the order in which formats are tried. */
export const formats: Record<ImportFormat, Columns> = {
  waymark: {
    destination: ['destination'],
    marks: [['originurl'], ['destinationtype']],
    slug: ['slug'],
    title: ['title'],
    tags: ['tags'],
    createdAt: ['createdat'],
    domain: ['domain'],
    folder: ['folder'],
    isAsCreate: true,
  },
  shlink: {
    // Its web client and API, and its table of short URLs.
    destination: ['longurl', 'originalurl'],
    marks: [['shortcode']],
    shortUrl: ['shorturl'],
    slug: ['shortcode'],
    title: ['title'],
    tags: ['tags'],
    createdAt: ['createdat', 'datecreated'],
    domain: ['domain'],
    limits: ['ends', 'caps'],
  },
  // The API's names of fields, and the columns that the page of links exports.
  bitly: {
    destination: ['longurl', 'destinationurl'],
    marks: [['link'], ['longurl', 'customlink', 'datecreated', 'engagements']],
    shortUrl: ['customlink', 'custombitlinks', 'link'],
    title: ['title'],
    tags: ['tags'],
    createdAt: ['createdat', 'datecreated'],
    archivedRedirects: true,
    limits: ['ends'],
  },
  // The labels that the page of links exports, and the names of the API.
  dub: {
    destination: ['destinationurl', 'url'],
    // Without the short link, a dump of its table.
    marks: [
      ['shortlink', 'trackconversion', 'publicstats', 'projectid'],
      ['createdat', 'linkid', 'clicks', 'key'],
    ],
    shortUrl: ['shortlink'],
    slug: ['key'],
    domain: ['domain'],
    title: ['title'],
    notes: ['comments'],
    tags: ['tags'],
    createdAt: ['createdat'],
    folder: ['folder'],
    archivedRedirects: true,
    limits: ['passwords', 'ends'],
  },
  // The names of the API, with or without underscores, and those of the file for its own import.
  shortio: {
    destination: ['originalurl'],
    marks: [
      ['shorturl', 'path'],
      ['idstring', 'originalpath', 'path', 'expireurl', 'expireat', 'clickslimit'],
    ],
    shortUrl: ['shorturl'],
    slug: ['originalpath', 'path'],
    title: ['title'],
    tags: ['tags'],
    createdAt: ['createdat'],
    domain: ['domain'],
    folder: ['folder', 'foldername'],
    archivedRedirects: true,
    limits: ['passwords', 'ends', 'caps'],
  },
  rebrandly: {
    destination: ['destination'],
    marks: [['slashtag']],
    shortUrl: ['shorturl'],
    slug: ['slashtag'],
    title: ['title'],
    notes: ['description'],
    tags: ['tags'],
    createdAt: ['createdat'],
    domain: ['domain.fullname', 'domainname', 'domain'],
    folder: ['folder'],
  },
  yourls: {
    destination: ['url'],
    marks: [['keyword']],
    slug: ['keyword'],
    title: ['title'],
    createdAt: ['timestamp'],
  },
  kutt: {
    destination: ['target'],
    marks: [['address']],
    shortUrl: ['link', 'shorturl'],
    slug: ['address'],
    title: ['description', 'title'],
    createdAt: ['createdat'],
    domain: ['domain', 'domainaddress'],
    limits: ['passwords', 'ends'],
  },
  // Its table of links: `short_url` is the ending alone.
  polr: {
    destination: ['longurl'],
    marks: [['shorturl'], ['secretkey', 'isdisabled', 'iscustom', 'longurlhash']],
    shortUrl: ['shorturl'],
    title: ['title'],
    createdAt: ['createdat'],
    limits: ['passwords'],
  },
  csv: {
    destination: splitWords(`
      destination destinationurl longurl originalurl targeturl longlink redirecturl redirectto forwardto
      tadestinationurl url target link
    `),
    shortOrDestination: ['url', 'link'],
    marks: [],
    shortUrl: splitWords(`
      shorturl originurl shortlink short shortenedurl shortenedlink shortened shortaddress bitlink
    `),
    slug: splitWords(`
      slug keyword address shortcode alias customalias backhalf key path slashtag shortid ending urlkey
      customslug urlslug vanity shortname customcode customkeyword linkslug linkending urlending urlcode
      linkcode shortpath postname code
    `),
    title: ['title', 'name', 'linktitle', 'linkname', 'pagetitle', 'posttitle', 'description'],
    tags: ['tags'],
    createdAt: splitWords(`
      createdat timestamp created datecreated creationdate createdon createddate dateadded linkdate postdate
      date
    `),
    domain: ['domain'],
    folder: ['folder'],
    isAsCreate: true,
  },
};

/** The name of a column without case, underscores, dashes, spaces, colons and question marks. */
export function columnName(column: string): string {
  return column.toLowerCase().replaceAll(/[\s_:?-]/g, '');
}

/** Finds the format of a file by its header; undefined: no column holds the destination. */
export function detectFormat(header: readonly string[]): ImportFormat | undefined {
  const names = new Set(header.map(columnName));
  const order = Object.keys(formats) as ImportFormat[];
  return order.find((format) => {
    const { destination, marks } = formats[format];
    return [destination, ...marks].every((some) => some.some((name) => names.has(name)));
  });
}

/** The columns of a format, as a file with this header has them. */
export function columnsOf(format: ImportFormat, header: readonly string[]): Columns {
  const columns = formats[format];
  const { destination, shortUrl = [], slug = [], shortOrDestination = [] } = columns;
  const names = new Set(header.map(columnName));
  if ([...shortUrl, ...slug].some((name) => names.has(name))) return columns;
  const target = destination.find((name) => names.has(name));
  const spare = shortOrDestination.find((name) => name !== target && names.has(name));
  if (spare === undefined) return columns;
  return { ...columns, destination: destination.filter((name) => name !== spare), shortUrl: [spare] };
}

/** Whether a header has a column for the destination, as a format names it. */
export function hasDestination(format: ImportFormat, header: readonly string[]): boolean {
  const names = new Set(header.map(columnName));
  return formats[format].destination.some((name) => names.has(name));
}
