import * as z from 'zod';

/** Number of characters as a reader counts them: code points, not UTF-16 units. */
export function countCharacters(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    // The second half of a pair was counted with the first.
    if ((text.charCodeAt(index) & 0xfc00) !== 0xdc00) count += 1;
  }
  return count;
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
  return trimmed(max).superRefine((value, context) => {
    const message = value === '' ? undefined : nameProblem(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

function nameProblem(value: string): string | undefined {
  if (lineBreak.test(value)) return 'must not hold line breaks';
  return visible.test(value) ? undefined : 'must hold a visible character';
}
