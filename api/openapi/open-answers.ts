import type { Described } from './tidy.ts';

/**
 * Leaves schemas of answers open: later versions add fields, and a client that is generated from the description must not refuse
 * them. Bodies of requests stay closed, but for parts that they share with answers. Changes the document in place.
 */
export function withOpenAnswers(document: Described): Described {
  const { paths, components } = document as unknown as {
    paths: Record<string, Record<string, { responses: object }>>;
    components: { schemas: Record<string, object> };
  };
  const opened = new Set<string>();
  const open = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const schema = part as { additionalProperties?: unknown; $ref?: unknown };
    if (schema.additionalProperties === false) delete schema.additionalProperties;
    const name = typeof schema.$ref === 'string' ? schema.$ref.split('/schemas/')[1] : undefined;
    if (name !== undefined && !opened.has(name)) {
      opened.add(name);
      open(components.schemas[name]);
    }
    for (const value of Object.values(part)) open(value);
  };
  for (const { responses } of Object.values(paths).flatMap((methods) => Object.values(methods))) open(responses);
  return document;
}
