import { fieldDescriptions } from './glossary.ts';
import { type OpenApi, operationsOf, type Schema } from './types.ts';

/** Describes fields and parameters that do not describe themselves, from the glossary. */
export function describeFields(document: OpenApi): void {
  for (const [name, schema] of Object.entries(document.components.schemas)) describeFieldsOf(schema, name);
  for (const operation of operationsOf(document)) {
    operation.description ??= `${operation.summary}.`;
    for (const parameter of operation.parameters ?? []) {
      const { name } = parameter;
      if (name !== undefined)
        parameter.description ??= fieldDescriptions[`${operation.operationId}.${name}`] ?? fieldDescriptions[name];
    }
    for (const { content = {} } of [operation.requestBody ?? {}, ...Object.values(operation.responses)]) {
      for (const { schema } of Object.values(content)) describeFieldsOf(schema, operation.operationId);
    }
  }
}

/** @param owner the named schema or the operation that the fields are in. */
function describeFieldsOf(schema: Schema | undefined, owner: string): void {
  if (schema === undefined || schema.$ref !== undefined) return;
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    // OpenAPI 3.0.3 ignores what stands beside $ref: the schema has a description of its own.
    if (field.$ref !== undefined) continue;
    const description = field.description ?? fieldDescriptions[`${owner}.${name}`] ?? fieldDescriptions[name];
    if (description !== undefined) field.description = description;
    if (description?.startsWith('Read-only')) field.readOnly = true;
    describeFieldsOf(field, owner);
  }
  for (const part of [schema.items, ...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
    describeFieldsOf(part, owner);
}
