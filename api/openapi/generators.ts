import { forEachSchema, type OpenApi, operationsOf, type Parameter, referencesIn } from './types.ts';

/**
 * Spares generators of clients what many of them cannot read. The API accepts more than is described: other spellings of lists, and
 * fields and objects of answers in bodies.
 */
export function simplifySchemas(document: OpenApi): void {
  const { schemas } = document.components;
  const bodies = operationsOf(document).map(({ requestBody }) => requestBody);
  for (const name of referencesIn(bodies, schemas)) simplifyBody(schemas[name]);
  for (const { parameters = [], requestBody } of operationsOf(document)) {
    for (const parameter of parameters) describeList(parameter);
    simplifyBody(requestBody);
  }
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
