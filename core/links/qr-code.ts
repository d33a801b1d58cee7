import * as z from 'zod';
import { urlProblem } from './destination.ts';
import { isObject } from '#core/lib/is-object.ts';
import { refusing, text } from '#core/lib/schemas.ts';

const color = z
  .string()
  .regex(/^#(?:[0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$/, 'must be a hex colour like #1a2b3c');

const gradientSchema = z
  .strictObject({
    type: z.enum(['linear', 'radial']).optional(),
    colorStops: z
      .array(z.strictObject({ offset: z.number().min(0).max(1), color }))
      .max(20)
      .optional(),
    rotation: z.number().describe('Degrees.').optional(),
  })
  .meta({ id: 'Gradient', description: 'A gradient of colours in a QR code.' });

const cornerSchema = z.strictObject({
  type: z.enum(['dot', 'square', 'extra-rounded', 'rounded', 'dots', 'classy', 'classy-rounded']).optional(),
  color: color.optional(),
  gradient: gradientSchema.optional(),
});

const picture = /^data:image\/[a-z0-9][a-z0-9.+-]*(?:;[^,]*)?,./i;
const maxImageLength = 8192;

/** Checks the address of a logo: pages put it into `src`, and into links. @returns the problem, or undefined. */
function imageProblem(url: string): string | undefined {
  if (!/^data:/i.test(url)) return urlProblem(url);
  if (url.length > maxImageLength) return `must have at most ${maxImageLength} characters`;
  if (/\p{Cc}/u.test(url) || !url.isWellFormed()) return 'must not hold control characters';
  return picture.test(url) ? undefined : 'must be an http or https URL, or data:image/… of a picture';
}

const imageSchema = z
  .string()
  .superRefine(refusing(imageProblem))
  .meta({ format: 'uri', maxLength: maxImageLength, description: 'An http(s) URL, or data:image/… of a picture.' });

const side = z.number().gt(100).max(2000).describe('Pixels.');

/** A QR code's styling, in the specification's units: margin in modules, rotation in degrees. */
export const qrOptionsSchema = z
  .strictObject({
    type: z.enum(['svg', 'canvas']).optional(),
    width: side.optional(),
    height: side.optional(),
    margin: z.number().min(0).max(1000).describe('Quiet zone in modules.').optional(),
    data: text({ max: 8192 }).optional(),
    image: imageSchema.optional(),
    imageOptions: z
      .strictObject({
        hideBackgroundDots: z.boolean().optional(),
        imageSize: z.number().min(0).max(1).optional(),
        crossOrigin: text({ max: 100 }).optional(),
        margin: z.number().min(0).max(2000).describe('Pixels.').optional(),
      })
      .optional(),
    dotsOptions: z
      .strictObject({
        type: z.enum(['dots', 'rounded', 'classy', 'classy-rounded', 'square', 'extra-rounded']).optional(),
        color: color.optional(),
        gradient: gradientSchema.optional(),
        roundSize: z.boolean().optional(),
      })
      .optional(),
    cornersSquareOptions: cornerSchema.optional(),
    cornersDotOptions: cornerSchema.optional(),
    backgroundOptions: z.strictObject({ round: z.number().min(0).optional(), color: color.optional() }).optional(),
  })
  .meta({ id: 'QrOptions', description: 'Style of a QR code.' });

/** The same as clients send it: null means what its absence means. */
export const qrOptionsInputSchema = z
  .preprocess(withoutNulls, qrOptionsSchema)
  .meta({ description: 'Styling of the code.' });

function withoutNulls(value: unknown): unknown {
  if (!isObject(value)) return value;
  const given = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(given.map(([name, member]) => [name, withoutNulls(member)]));
}

/** A QR code's styling as it is stored and returned. */
export type QrOptions = z.output<typeof qrOptionsSchema>;
