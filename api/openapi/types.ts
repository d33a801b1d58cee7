/** A schema, as far as the steps of `describeDocument` look at it. */
export interface Schema {
  [keyword: string]: unknown;
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  readOnly?: boolean;
  items?: Schema;
  'x-items'?: Schema;
  properties?: Record<string, Schema>;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}

export interface Parameter {
  [keyword: string]: unknown;
  name?: string;
  in?: string;
  description?: string;
  schema?: Schema;
}

interface Content {
  content?: Record<string, { schema?: Schema; example?: unknown }>;
  headers?: Record<string, unknown>;
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
}

/** The document that the routes describe: its operations by path and method. Every step changes it in place. */
export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export const operationsOf = ({ paths }: OpenApi): Operation[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods));

/** A reference to a named schema, in JSON. */
export const reference = /"#\/components\/schemas\/([^"]+)"/g;

/** Names of the schemas that a part of the document refers to, by other schemas too. */
export function referencesIn(part: unknown, schemas: Record<string, Schema>, names = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(part ?? null).matchAll(reference)) {
    if (names.has(name)) continue;
    names.add(name);
    referencesIn(schemas[name], schemas, names);
  }
  return names;
}

/** Calls `change` for each schema, and each other object, of a part of the document. */
export function forEachSchema(part: unknown, change: (schema: Schema) => void): void {
  if (typeof part !== 'object' || part === null) return;
  if (!Array.isArray(part)) change(part as Schema);
  for (const [name, value] of Object.entries(part)) {
    if (name === 'example' || name === 'examples' || name === 'enum') continue;
    // Fields may have the names of keywords.
    if (name === 'properties') for (const field of Object.values(value as object)) forEachSchema(field, change);
    else forEachSchema(value, change);
  }
}
