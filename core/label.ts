import { z } from 'zod';
import { name } from './text.ts';

/** The name of a folder or tag: trimmed, then 1 to 30 characters. */
export const labelNameSchema = name(30);

/** The color of a folder or tag. */
export const labelColorSchema = z
  .string()
  .regex(/^#[0-9A-Fa-f]{6}$/, 'must be a color like #1a2b3c')
  .meta({ example: '#2563EB' });
