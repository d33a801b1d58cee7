import * as z from 'zod';
import { lengths } from '#core/lengths.ts';
import { name } from '#core/lib/schemas.ts';

/** Name, trimmed, and color `#rrggbb` of a new folder or tag. */
export interface LabelDraft {
  name: string;
  /** null and undefined: the default. */
  color?: string | null | undefined;
}

/** Changes of a folder or tag; undefined fields stay. */
export interface LabelPatch {
  name?: string | undefined;
  color?: string | undefined;
}

/** The name of a folder or tag. */
export const labelNameSchema = name(lengths.label);

/** The color of a folder or tag. */
export const labelColorSchema = z
  .string()
  .regex(/^#[0-9A-Fa-f]{6}$/, 'must be a color like #1a2b3c')
  .meta({ example: '#2563EB' });

/** The body of a call that creates a folder or tag. */
export const newLabelShape = {
  name: labelNameSchema,
  color: labelColorSchema.nullable().optional().describe('Without it, or with null, a default color.'),
};

const palette = ['#2563EB', '#16A34A', '#DC2626', '#D97706', '#7C3AED', '#0891B2', '#DB2777', '#4D7C0F'] as const;

/** Color of folders that were given none. */
export const defaultFolderColor = '#64748B';

/** Color of a tag or folder without one: the same for the same name. */
export function colorOf(name: string): string {
  let sum = 0;
  for (const character of name) sum = (sum * 31 + character.codePointAt(0)!) % 65_521;
  return palette[sum % palette.length]!;
}
