import { type OpenApi, operationsOf, type Schema } from './types.ts';

/**
 * Leaves schemas of answers open: later versions add fields, and a client that is generated from the description must not refuse
 * them. Bodies of requests stay closed, but for parts that they share with answers.
 */
export function openAnswers(document: OpenApi): void {
  const opened = new Set<string>();
  const open = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const schema = part as Schema;
    if (schema.additionalProperties === false) delete schema.additionalProperties;
    const name = typeof schema.$ref === 'string' ? schema.$ref.split('/schemas/')[1] : undefined;
    if (name !== undefined && !opened.has(name)) {
      opened.add(name);
      open(document.components.schemas[name]);
    }
    for (const value of Object.values(part)) open(value);
  };
  for (const { responses } of operationsOf(document)) open(responses);
}
