import { z } from 'zod';

/**
 * Names of the fields that a schema, or an object of schemas, declares as secret: `.meta({ 'x-secret': true })`.
 * @param known the names of schemas that were looked at before.
 */
export function secretNamesOf(schema: unknown, known: WeakMap<object, readonly string[]>): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const before = known.get(schema);
  if (before !== undefined) return before;
  // A schema that holds itself adds nothing.
  known.set(schema, []);
  const parts = schema instanceof z.core.$ZodType ? defOf(schema) : schema;
  const names = Object.entries(parts).flatMap(([name, part]: [string, unknown]) => [
    ...(name === 'shape' ? fieldsIn(part) : []),
    ...secretNamesOf(part, known),
  ]);
  known.set(schema, names);
  return names;
}

const fieldsIn = (shape: unknown): string[] =>
  Object.entries(shape as object).flatMap(([name, field]) => (isSecret(field) ? [name] : []));

/** Whether a schema, or one that it wraps, is declared as secret. */
function isSecret(schema: unknown): boolean {
  if (!(schema instanceof z.core.$ZodType)) return false;
  if (z.globalRegistry.get(schema)?.['x-secret'] === true) return true;
  const { innerType, in: input, out } = defOf(schema);
  return [innerType, input, out].some(isSecret);
}

const defOf = (schema: z.core.$ZodType): Record<string, unknown> =>
  schema._zod.def as unknown as Record<string, unknown>;
