import { z } from 'zod';
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
