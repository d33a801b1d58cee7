import { type OpenApi, operationsOf, type Parameter, type Schema } from './types.ts';

/**
 * Spares generators of clients what many of them cannot read. The API accepts more than is described: other spellings of lists, and
 * fields and objects of answers in bodies.
 */
export function simplifySchemas(document: OpenApi): void {
  const { schemas } = document.components;
  const bodies = new Set<string>();
  for (const { parameters = [], requestBody } of operationsOf(document)) {
    for (const parameter of parameters) describeList(parameter);
    collect(requestBody, schemas, bodies);
    simplifyBody(requestBody);
  }
  for (const name of bodies) simplifyBody(schemas[name]);
  forEachSchema(document, (schema) => {
    // A format says what the pattern does, and clients compile patterns of other languages.
    if (schema.format !== undefined) delete schema.pattern;
    // Named forms differ in their required fields.
    if (schema.anyOf?.every((form) => '$ref' in form) === true) schema.oneOf = schema.anyOf;
    // No class holds a text or a list.
    delete schema.anyOf;
  });
}

/** One list where the route takes a text or a list. */
function describeList(parameter: Parameter): void {
  const { schema } = parameter;
  // A moment or a day: no generator knows a type for both.
  if (parameter.in === 'query' && schema?.anyOf?.every(({ type }) => type === 'string') === true) {
    delete schema.anyOf;
    schema.type = 'string';
  }
  const list = schema?.anyOf?.find(({ type }) => type === 'array');
  if (parameter.in !== 'query' || schema === undefined || list === undefined) return;
  const { 'x-items': items = list.items, description, example } = schema;
  parameter.schema = {
    type: 'array',
    items,
    ...(description === undefined ? {} : { description }),
    ...(typeof example === 'string' ? { example: example.split(',') } : {}),
  };
  Object.assign(parameter, { style: 'form', explode: true });
}

/** Names of the schemas that a part of the document refers to. */
function collect(part: unknown, schemas: Record<string, Schema>, names: Set<string>): void {
  for (const [, name = ''] of JSON.stringify(part ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    if (names.has(name)) continue;
    names.add(name);
    collect(schemas[name], schemas, names);
  }
}

/** A body without defaults, by which generators make fields required, and with one type for each field. */
function simplifyBody(body: unknown): void {
  forEachSchema(body, (schema) => {
    if (schema.default !== undefined) {
      const value = JSON.stringify(schema.default);
      schema.description = [schema.description, `When omitted: ${value}.`].filter(Boolean).join(' ');
      delete schema.default;
    }
    // Go's generator gives each class a method hasX for its field x.
    const { properties = {} } = schema;
    for (const name of Object.keys(properties)) delete properties[`has${name[0]!.toUpperCase()}${name.slice(1)}`];
    const [first, second, ...others] = schema.anyOf ?? [];
    if (first?.type === 'string' && second?.type === 'object' && others.length === 0) {
      delete schema.anyOf;
      Object.assign(schema, { ...first, ...(schema.description && { description: schema.description }) });
    }
  });
}

function forEachSchema(part: unknown, change: (schema: Schema) => void): void {
  if (typeof part !== 'object' || part === null) return;
  if (!Array.isArray(part)) change(part as Schema);
  for (const [name, value] of Object.entries(part)) {
    if (name === 'example' || name === 'examples' || name === 'enum') continue;
    // Fields may have the names of keywords.
    if (name === 'properties') for (const field of Object.values(value as object)) forEachSchema(field, change);
    else forEachSchema(value, change);
  }
}
