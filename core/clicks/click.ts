/**
 * Columns of a click, in the order in which a journal's line holds them, in PostgreSQL's text format of COPY: separated by
 * tabs, `\\N` where a value could not be told. A line begins with `id`, a UUIDv7, `clicked_at` as `YYYY-MM-DDTHH:MM:SS.sssZ` and
 * `link_id`, all of constant length. A later release appends columns: a line that lacks them was written before.
 */
export const clickColumns = [
  'id',
  'clicked_at',
  'link_id',
  'visitor',
  'country',
  'region',
  'city',
  'continent',
  'lang',
  'device',
  'browser',
  'os',
  'referer',
  'is_qr_code',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'organization_id',
  'domain_id',
  'folder_id',
  'tag_ids',
  'destination',
] as const;

export type ClickColumn = (typeof clickColumns)[number];

/**
 * Kinds of machines that visit links (4.10): builders of previews; scanners that look for threats; crawlers of search engines and
 * others; tools, like monitors, HTTP libraries, headless browsers.
 */
export const botKinds = ['preview', 'scanner', 'crawler', 'tool'] as const;
export type BotKind = (typeof botKinds)[number];

/** Columns of a bot's visit, in the order of its line. */
export const botClickColumns = [...clickColumns, 'agent_kind', 'agent_reason'] as const;

export type BotClickColumn = (typeof botClickColumns)[number];

/**
 * Begins the line of a bot's visit. A release that does not know it finds no time where that of a click is, and sets the line aside
 * without trying the database.
 */
export const botMark = 'bot\t';

// oxlint-disable-next-line no-control-regex -- control characters are what it takes out.
const controls = /[\u0000-\u001f\u007f-\u009f]+/g;

/** Text fit for the journal and the database: without control characters and halves of pairs, at most `max` code points. */
export function cleanText(text: string, max = 255): string {
  if (text.length <= max) return text.replaceAll(controls, '').toWellFormed();
  // No code point takes more than two units.
  const points = Array.from(text.slice(0, max * 2).toWellFormed());
  return points.slice(0, max).join('').replaceAll(controls, '');
}

const special = /[\\\n\r\t]/;
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A value in PostgreSQL's text format of COPY. */
export function copyField(text: string | null): string {
  if (text === null) return '\\N';
  return special.test(text) ? text.replaceAll(/[\\\n\r\t]/g, (character) => escapes[character]!) : text;
}

const unescapes: Record<string, string> = { n: '\n', r: '\r', t: '\t' };

/** What `copyField` was given. */
export function readCopyField(field: string): string | null {
  if (field === '\\N') return null;
  return field.includes('\\')
    ? field.replaceAll(/\\(.)/g, (_, character: string) => unescapes[character] ?? character)
    : field;
}
