/**
 * Columns of a click (5.1), in the order in which a journal line, a JSON array, holds their values: `id` a UUIDv7,
 * `clicked_at` Unix time in milliseconds, `visitor` 32 hex digits, `tag_ids` an array, `is_qr_code` a boolean, all else
 * strings, or null where it could not be told. A later release appends columns; those missing in a line are null.
 */
export const clickColumns = [
  'id',
  'clicked_at',
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
  'link_id',
  'domain_id',
  'folder_id',
  'tag_ids',
  'destination',
] as const;

/** A column of a click. */
export type ClickColumn = (typeof clickColumns)[number];

// oxlint-disable-next-line no-control-regex -- control characters are what it takes out.
const controls = /[\u0000-\u001f\u007f-\u009f]+/g;

/** Text fit for the journal and the database: without control characters and halves of pairs, at most `max` UTF-16 units. */
export function cleanText(text: string, max = 255): string {
  const cut = text.length > max ? text.slice(0, max) : text;
  // A pair that the cut parted leaves its first half at the end.
  const whole = cut.length < text.length && (cut.charCodeAt(max - 1) & 0xfc00) === 0xd800 ? cut.slice(0, -1) : cut;
  return whole.replaceAll(controls, '').toWellFormed();
}
