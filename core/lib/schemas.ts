import * as z from 'zod';
import { isObject } from './is-object.ts';

/** Number of characters as a reader counts them: code points, not UTF-16 units. */
export function countCharacters(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    // The second half of a pair was counted with the first.
    if ((text.charCodeAt(index) & 0xfc00) !== 0xdc00) count += 1;
  }
  return count;
}

/** Makes a refinement of a schema of a function that names a problem; undefined: there is none. */
export function refusing(
  problem: (value: string) => string | undefined,
): (value: string, context: z.RefinementCtx) => void {
  return (value, context) => {
    const message = problem(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  };
}

/**
 * A string of `min` to `max` code points that PostgreSQL and UTF-8 can hold: no NUL, no half of a surrogate pair.
 */
export function text({ min = 0, max }: { min?: number; max: number }) {
  return z
    .string()
    .superRefine((value, context) => {
      const length = value.length > max || min > 1 ? countCharacters(value) : value.length;
      if (length < min || length > max) {
        context.addIssue({
          code: 'custom',
          message: `must have ${min > 0 ? `${min} to` : 'at most'} ${max} characters`,
        });
      }
      if (value.includes('\u0000')) context.addIssue({ code: 'custom', message: 'must not hold a NUL character' });
      if (!value.isWellFormed()) context.addIssue({ code: 'custom', message: 'must be well-formed Unicode' });
    })
    .meta({ minLength: min, maxLength: max });
}

// Zero-width characters, fillers and blank Braille have no ink; marks alone may be a whole word.
const visible = /[^\p{Default_Ignorable_Code_Point}\p{Z}\p{Cc}\p{Cf}\u2800]/u;
const lineBreak = /[\n\v\f\r\u0085\u2028\u2029]/;

/** A text without space around it: trimmed, then 1 to `max` characters. */
export function trimmed(max: number) {
  return (
    z
      .string()
      .overwrite((value) => value.trim())
      .pipe(text({ min: 1, max }))
      // Counted after trimming: a longer text may still be valid.
      .meta({ minLength: 1 })
  );
}

/**
 * A name: trimmed, then 1 to `max` characters on one line, one of them visible (13.4). Lists show names, and mails quote them.
 */
export function name(max: number) {
  return onOneLine(trimmed(max));
}

/** Adds that a text is one line, with a visible character. */
export function onOneLine<T extends z.ZodType<string>>(schema: T): T {
  return schema.superRefine((value, context) => {
    if (lineBreak.test(value)) context.addIssue({ code: 'custom', message: 'must not hold line breaks' });
    else if (value !== '' && !visible.test(value))
      context.addIssue({ code: 'custom', message: 'must hold a visible character' });
  });
}

/** A moment that clients send: ISO 8601 with an offset. */
export const momentInputSchema = z.iso
  .datetime({ offset: true })
  // With its offset, the last day of 9999 may exceed the range of timestamps.
  .refine((moment) => !(new Date(moment).getUTCFullYear() > 9_999), 'must be before the year 10000')
  .transform((moment) => new Date(moment));

/**
 * Names an end in the past beside other wrong fields of an update. Alone it is left to the command: it may be the end that the thing has
 * already, which a client may send back.
 */
export function namingPassedEnd<Schema extends z.ZodObject>(schema: Schema): Schema {
  return schema.refine(({ expiresAt }) => !(expiresAt instanceof Date) || expiresAt.getTime() > Date.now(), {
    path: ['expiresAt'],
    message: 'must be in the future, or the present one',
    ...onlyBesideOthers,
  });
}

/**
 * For a check of a whole object: it runs beside errors of single fields, so that a client gets all of them at once (1.2). The fields that
 * it reads may be of any type then.
 */
export const besideOthers = { when: ({ value }: { value: unknown }): boolean => isObject(value) };

/**
 * As `besideOthers`, where fields are wrong anyway. An object without other errors is left to a later check, which names more at once or
 * knows what is stored.
 */
export const onlyBesideOthers = {
  when: ({ value, issues }: { value: unknown; issues: readonly unknown[] }): boolean =>
    isObject(value) && issues.length > 0,
};

/** An object of free names. A record of Zod drops a member called `__proto__` in silence; it is refused by name here. */
export const recordOf = <Value extends z.ZodType>(name: z.ZodString, value: Value) =>
  z.preprocess(
    (given, context) => {
      if (isObject(given) && Object.hasOwn(given, '__proto__'))
        context.addIssue({ code: 'unrecognized_keys', keys: ['__proto__'] });
      return given;
    },
    z.record(name, value),
  );

/** Lets a schema take null, which counts as a field that is not sent. */
export const orDefault = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullable()
    .transform((value) => value ?? undefined)
    .optional();

type NullAsDefault<Shape extends z.ZodRawShape> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodType
    ? undefined extends z.input<Shape[Name]>
      ? null extends z.input<Shape[Name]>
        ? Shape[Name]
        : ReturnType<typeof orDefault<Shape[Name]>>
      : Shape[Name]
    : never;
};

/**
 * The shape of a body that creates something: each optional field takes null too, which means its default (1.2). A field whose
 * schema takes null already keeps its meaning of null.
 */
export function nullAsDefault<Shape extends z.ZodRawShape>(shape: Shape): NullAsDefault<Shape> {
  const takes = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;
  return Object.fromEntries(
    Object.entries(shape as unknown as Record<string, z.ZodType>).map(([name, schema]) => [
      name,
      takes(schema, undefined) && !takes(schema, null) ? orDefault(schema) : schema,
    ]),
  ) as unknown as NullAsDefault<Shape>;
}

const ignored = z.unknown().optional().describe('Read-only: ignored when sent.');

/** Fields of an update that only answers set: clients may send back what GET returns. */
export function readOnly<Name extends string>(...names: Name[]): Record<Name, typeof ignored> {
  return Object.fromEntries(names.map((name) => [name, ignored])) as Record<Name, typeof ignored>;
}
