import type * as z from 'zod';

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
