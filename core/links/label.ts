import * as z from 'zod';
import { name } from '#core/lib/text.ts';

const visible = /[^\p{Default_Ignorable_Code_Point}\p{Z}\p{Cc}\p{Cf}\u2800]/u;
const lineBreak = /[\n\v\f\r\u0085\u2028\u2029]/;

/** The name of a folder or tag: trimmed, then 1 to 30 characters on one line, one of them visible (13.4). */
export const labelNameSchema = name(30, (value) => {
  if (lineBreak.test(value)) return 'must not hold line breaks';
  return visible.test(value) ? undefined : 'must hold a visible character';
});

/** The color of a folder or tag. */
export const labelColorSchema = z
  .string()
  .regex(/^#[0-9A-Fa-f]{6}$/, 'must be a color like #1a2b3c')
  .meta({ example: '#2563EB' });

const palette = ['#2563EB', '#16A34A', '#DC2626', '#D97706', '#7C3AED', '#0891B2', '#DB2777', '#4D7C0F'] as const;

/** Color of folders that were given none. */
export const defaultFolderColor = '#64748B';

/** Color of a tag or folder without one: the same for the same name. */
export function colorOf(name: string): string {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + character.codePointAt(0)!) % 65_521;
  return palette[sum % palette.length]!;
}
