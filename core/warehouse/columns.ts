/** A value of a file for a warehouse. */
export type ParquetValue = string | readonly string[] | number | boolean | Date | null;

/** A column of a file for a warehouse. */
export interface ParquetColumn {
  name: string;
  type: 'text' | 'texts' | 'number' | 'boolean' | 'time';
  /** Whether no value is null. */
  isRequired?: boolean;
}

const id = (name: string): ParquetColumn => ({ name, type: 'text', isRequired: true });
const text = (name: string): ParquetColumn => ({ name, type: 'text' });

/** Columns of a file of clicks (5.11), in its order. The visitor is left out: it links visits of one person. */
export const clickFileColumns: readonly ParquetColumn[] = [
  id('id'),
  { name: 'clicked_at', type: 'time', isRequired: true },
  id('link_id'),
  id('domain_id'),
  id('folder_id'),
  { name: 'tag_ids', type: 'texts', isRequired: true },
  ...['country', 'region', 'city', 'continent', 'lang'].map(text),
  { name: 'device', type: 'text', isRequired: true },
  ...['browser', 'os', 'referer', 'utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'].map(text),
  { name: 'is_qr_code', type: 'boolean', isRequired: true },
  { name: 'destination', type: 'text', isRequired: true },
];

/** Columns of a file of links (5.11), in its order. */
export const linkFileColumns: readonly ParquetColumn[] = [
  id('id'),
  id('domain'),
  id('slug'),
  { name: 'destination', type: 'text', isRequired: true },
  ...['title', 'external_id'].map(text),
  id('folder_id'),
  { name: 'tag_ids', type: 'texts', isRequired: true },
  { name: 'clicks', type: 'number', isRequired: true },
  { name: 'max_clicks', type: 'number' },
  { name: 'is_active', type: 'boolean', isRequired: true },
  { name: 'is_archived', type: 'boolean', isRequired: true },
  { name: 'expires_at', type: 'time' },
  { name: 'created_at', type: 'time', isRequired: true },
  { name: 'updated_at', type: 'time', isRequired: true },
];
