import { z } from 'zod';

/** A value as a row holds it: a moment may be a Date, and what is null may be undefined. */
type Stored<Shown> = Shown | (string extends Shown ? Date : never) | (null extends Shown ? undefined : never);

type StoredFields<Answer> = { [Name in keyof Answer]: Stored<Answer[Name]> };

/**
 * Presents a row by the schema of its answer: the answer has the fields of the schema and no others, moments in ISO 8601, and null
 * where the row has nothing. A field that the schema lets be absent is absent where the row has none.
 * @param own the fields that the row has not under their name.
 */
export function present<Schema extends z.ZodObject, Own extends Partial<StoredFields<z.output<Schema>>>>(
  schema: Schema,
  row: Omit<StoredFields<z.output<Schema>>, keyof Own>,
  own: Own,
): z.output<Schema> {
  const stored: Record<string, unknown> = row;
  const answer: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    const value = name in own ? (own as Record<string, unknown>)[name] : stored[name];
    if (value === undefined && field instanceof z.ZodOptional) continue;
    answer[name] = value instanceof Date ? value.toISOString() : (value ?? null);
  }
  return answer as z.output<Schema>;
}
