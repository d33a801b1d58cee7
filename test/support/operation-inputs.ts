import { valueFilters } from '#api/stats/schema.ts';
import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import type { Operation, Parameter } from './openapi.ts';
import { allowed, faultsOf, least, type Resolve } from './schema-inputs.ts';

/** What goes into a call, as the description names it; what of the path is not given is filled in by the walk. */
export interface Input {
  path?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** An input that is wrong in one place. */
export interface WrongInput {
  /** Where, as errors name it. */
  path: string;
  why: string;
  input: Input;
}

/** The example of a body, or the least of one, and of the rest what it must have. */
export function exampleOf({ parameters, body }: Operation, resolve: Resolve): Input {
  const fields = (place: Parameter['in']): Record<string, never> =>
    Object.fromEntries(
      parameters
        .filter(({ in: where, required, schema }) => where === place && required && schema.format !== 'uuid')
        .map(({ name, schema }) => [name, least(schema, resolve) as never]),
    );
  return {
    path: fields('path'),
    query: fields('query'),
    ...(body === undefined ? {} : { body: least(body, resolve) }),
  };
}

/** Inputs that an operation's schemas allow. @param ids that exist, to be tried beside others. */
export function rightInputs(
  { parameters, body }: Operation,
  resolve: Resolve,
  ids: () => readonly string[],
): fc.Arbitrary<Input> {
  const fields = (place: Parameter['in']): fc.Arbitrary<Record<string, never>> => {
    const own = parameters.filter((parameter) => parameter.in === place);
    return fc.record(Object.fromEntries(own.map(({ name, schema }) => [name, allowed(schema, resolve, ids)])), {
      requiredKeys: own.filter(({ required }) => required).map(({ name }) => name),
    }) as fc.Arbitrary<Record<string, never>>;
  };
  return fc.record({
    path: fields('path'),
    query: fields('query'),
    ...(body === undefined ? {} : { body: allowed(body, resolve, ids) }),
  });
}

/** Everything that the schema of an operation's body forbids. */
export function wrongBodies(operation: Operation, resolve: Resolve): WrongInput[] {
  if (operation.body === undefined) return [];
  const example = exampleOf(operation, resolve);
  return faultsOf(operation.body, resolve).flatMap(({ input, ...fault }) =>
    // The JSON null counts as no body.
    input === null && operation.isBodyOptional ? [] : [{ ...fault, input: { ...example, body: input } }],
  );
}

/** Everything that the schemas of an operation's query and path forbid, and fields of a query that it does not know. */
export function wrongParameters(operation: Operation, resolve: Resolve): WrongInput[] {
  const example = exampleOf(operation, resolve);
  const inQuery = (name: string, value: unknown): WrongInput => ({
    path: name,
    why: `query ${JSON.stringify(value)}`,
    input: { ...example, query: { ...example.query, [name]: value } },
  });
  const wrong = operation.parameters.flatMap((parameter): WrongInput[] => {
    const { name, required } = parameter;
    if (parameter.in === 'query') {
      // No value at all: the field is left out.
      const missing = required ? [inQuery(name, [])] : [];
      return [...missing, ...wrongTexts(parameter).map((value) => inQuery(name, value))];
    }
    // Tests of the code that reads a header cover its forbidden values.
    if (parameter.in === 'header') return [];
    return ['x', '\u0000', `${uuidv7()}0`, '%zz', '{}', '9'.repeat(300)].map((value) => ({
      path: name,
      why: `path ${JSON.stringify(value)}`,
      input: { ...example, path: { ...example.path, [name]: value } },
    }));
  });
  return [...wrong, ...['surplus', '__proto__', 'constructor', 'toString'].map((name) => inQuery(name, 'x'))];
}

// Lists that take any text but an empty one.
const textLists = new Set<string>(['domainNames', 'tagNames', 'externalIds', 'destinationHosts', ...valueFilters]);

function wrongTexts({ name, schema }: Parameter): unknown[] {
  const { anyOf, enum: choices, type, minimum = 0, maximum = 0, maxLength, pattern } = schema;
  const isList = type === 'array' || anyOf?.some((branch) => branch.type === 'array') === true;
  return [
    '\u0000',
    // Twice, where it is no list.
    isList ? (textLists.has(name) ? '' : 'x') : ['1', '1'],
    ...(choices === undefined ? [] : ['no such choice', '']),
    ...(type === 'integer' ? ['x', '1.5', '', `${minimum - 1}`, `${maximum + 1}`] : []),
    ...(maxLength === undefined ? [] : ['x'.repeat(maxLength + 1)]),
    ...(pattern === undefined ? [] : ['?']),
  ];
}
