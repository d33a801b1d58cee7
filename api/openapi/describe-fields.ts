import { fieldDescriptions, schemaDescriptions } from './glossary.ts';
import type { Described } from './tidy.ts';

interface Schema {
  $ref?: string;
  description?: string;
  readOnly?: boolean;
  properties?: Record<string, Schema>;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
}

interface Parameter {
  name?: string;
  description?: string;
}

interface Content {
  content?: Record<string, { schema?: Schema }>;
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
}

/** Describes schemas, fields and parameters that do not describe themselves, from the glossary. Changes the document in place. */
export function withDescriptions(document: Described): Described {
  const { paths, components } = document as unknown as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Schema> };
  };
  for (const [name, schema] of Object.entries(components.schemas)) {
    const description = schemaDescriptions[name] ?? schema.description;
    if (description !== undefined) schema.description = description;
    describeFields(schema, name);
  }
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    operation.description ??= `${operation.summary}.`;
    for (const parameter of operation.parameters ?? []) {
      if (parameter.name !== undefined) parameter.description ??= fieldDescriptions[parameter.name];
    }
    for (const { content = {} } of [operation.requestBody ?? {}, ...Object.values(operation.responses)]) {
      for (const { schema } of Object.values(content)) describeFields(schema, operation.operationId);
    }
  }
  return document;
}

/** @param owner the named schema or the operation that the fields are in. */
function describeFields(schema: Schema | undefined, owner: string): void {
  if (schema === undefined || schema.$ref !== undefined) return;
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    // OpenAPI 3.0.3 ignores what stands beside $ref: the schema has a description of its own.
    if (field.$ref !== undefined) continue;
    const description = field.description ?? fieldDescriptions[`${owner}.${name}`] ?? fieldDescriptions[name];
    if (description !== undefined) field.description = description;
    if (description?.startsWith('Read-only')) field.readOnly = true;
    describeFields(field, owner);
  }
  for (const part of [schema.items, ...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
    describeFields(part, owner);
}
