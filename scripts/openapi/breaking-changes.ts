import { isDeepStrictEqual } from 'node:util';

/** A schema of OpenAPI 3.0.3, as far as changes of it can break clients. */
interface Schema {
  $ref?: string;
  type?: string;
  nullable?: boolean;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  anyOf?: Schema[];
  /** As `anyOf`: the forms of a value differ in their required fields. */
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  readOnly?: boolean;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
}

interface Parameter {
  $ref?: string;
  in: string;
  name: string;
  required?: boolean;
  schema: Schema;
}

type Content = Record<string, { schema?: Schema }>;

interface Operation {
  operationId: string;
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { headers?: Record<string, unknown>; content?: Content }>;
}

/** A description of the API, by OpenAPI 3.0.3. */
export interface Description {
  security?: Record<string, unknown>[];
  paths: Record<string, Record<string, Operation>>;
  'x-webhooks': Record<string, { post: { requestBody: { content: Content } } }>;
  components: { schemas: Record<string, Schema>; parameters?: Record<string, Parameter> };
}

/** Direction of a value: clients send inputs and read outputs. */
type Direction = 'input' | 'output';

// Bounds that a change may only widen in inputs.
const lowerBounds = ['minItems', 'minLength', 'minimum'] as const;
const upperBounds = ['maxItems', 'maxLength', 'maximum'] as const;

/**
 * Lists what a client of the earlier description cannot do, send or read by the later one, a line each. Fields, operations, values
 * of answers and optional inputs may be added; clients are told to allow for them. Statuses of errors may change.
 */
export function findBreakingChanges(before: Description, after: Description): string[] {
  const found = new Set<string>();
  const report = (place: string, change: string): void => void found.add(`${place}: ${change}`);
  const compare = createSchemaComparison(before, after);
  const compareSchemas = (direction: Direction, place: string, old: Schema = {}, current: Schema = {}): void => {
    for (const line of compare(direction, place, old, current)) found.add(line);
  };

  const compareContent = (direction: Direction, place: string, old: Content = {}, current: Content = {}): void => {
    for (const [type, { schema }] of Object.entries(old)) {
      if (current[type] === undefined) report(place, `${type} was removed`);
      else compareSchemas(direction, place, schema, current[type].schema);
    }
  };

  const compareOperations = (place: string, old: Operation, current: Operation): void => {
    if (old.operationId !== current.operationId)
      report(place, `operationId ${old.operationId} became ${current.operationId}`);
    const callers = current.security ?? after.security ?? [];
    for (const caller of old.security ?? before.security ?? []) {
      if (!callers.some((one) => isDeepStrictEqual(one, caller) || Object.keys(one).length === 0))
        report(place, `callers by ${Object.keys(caller).join(' and ') || 'no key'} are refused`);
    }
    const given = parametersOf(before, old);
    const taken = parametersOf(after, current);
    for (const [key, parameter] of given) {
      const now = taken.get(key);
      if (now === undefined) report(place, `parameter ${key} was removed`);
      else compareSchemas('input', `${place} ${key}`, parameter.schema, now.schema);
    }
    for (const [key, { required = false }] of taken)
      if (required && given.get(key)?.required !== true) report(place, `parameter ${key} became required`);
    if (current.requestBody?.required === true && old.requestBody?.required !== true)
      report(place, 'a body became required');
    compareContent('input', `${place} body`, old.requestBody?.content, current.requestBody?.content);
    for (const [status, answer] of Object.entries(old.responses).filter(([code]) => code.startsWith('2'))) {
      const now = current.responses[status];
      if (now === undefined) {
        report(place, `the answer ${status} was removed`);
        continue;
      }
      for (const name of Object.keys(answer.headers ?? {}))
        if (now.headers?.[name] === undefined) report(`${place} ${status}`, `header ${name} was removed`);
      compareContent('output', `${place} ${status}`, answer.content, now.content);
    }
  };

  const operations = operationsOf(after);
  for (const [key, { name, operation }] of operationsOf(before)) {
    const current = operations.get(key);
    if (current === undefined) report(name, 'the operation was removed');
    else compareOperations(name, operation, current.operation);
  }
  for (const [type, { post }] of Object.entries(before['x-webhooks'])) {
    const current = after['x-webhooks'][type]?.post;
    if (current === undefined) report(`event ${type}`, 'the event was removed');
    else compareContent('output', `event ${type}`, post.requestBody.content, current.requestBody.content);
  }
  // Generated clients name their types by the components. An error's schema has no other place in the baseline.
  for (const [name, schema] of Object.entries(before.components.schemas)) {
    const current = after.components.schemas[name];
    if (current === undefined) report(name, 'the schema was removed or renamed');
    else if (name === 'ApiError') compareSchemas('output', name, schema, current);
  }
  return [...found].toSorted();
}

/** Operations by method and path, whatever the parameters of the path are called. */
function operationsOf(description: Description): Map<string, { name: string; operation: Operation }> {
  return new Map(
    Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const name = `${method.toUpperCase()} ${path}`;
        return [name.replaceAll(/\{\w+\}/g, '{}'), { name, operation }] as const;
      }),
    ),
  );
}

/** Parameters of a query or of headers, by place and name; those of a path cannot be left out. */
function parametersOf({ components }: Description, { parameters = [] }: Operation): Map<string, Parameter> {
  const resolved = parameters.map((one) =>
    one.$ref === undefined ? one : components.parameters![one.$ref.split('/').at(-1)!]!,
  );
  return new Map(resolved.filter((one) => one.in !== 'path').map((one) => [`${one.in} ${one.name}`, one]));
}

/** Compares schemas of two descriptions; each pair of named schemas is compared once in each direction. */
function createSchemaComparison(before: Description, after: Description) {
  const compared = new Set<string>();

  return function compare(direction: Direction, place: string, oldPart: Schema, currentPart: Schema): string[] {
    const [oldName, old] = resolve(before, oldPart);
    const [currentName, current] = resolve(after, currentPart);
    if (oldName !== undefined && currentName !== undefined) {
      const pair = `${direction} ${oldName} ${currentName}`;
      if (compared.has(pair)) return [];
      compared.add(pair);
    }
    const at = oldName ?? place;
    const found: string[] = [];
    const report = (change: string): void => void found.push(`${at}: ${change}`);
    if (old.anyOf !== undefined || current.anyOf !== undefined) {
      found.push(...compareBranches(direction, at, old, current));
    } else if (!isTypeKept(direction, old, current)) {
      report(`${direction} of type ${nameType(old)} became ${nameType(current)}`);
      return found;
    }
    if (direction === 'input' && old.nullable === true && current.nullable !== true && current.anyOf === undefined)
      report('input null is refused');
    if (direction === 'output' && old.nullable !== true && current.nullable === true) report('output may be null');
    found.push(...compareEnums(direction, at, old, current));
    found.push(
      ...(direction === 'input' ? compareInputFields(at, old, current) : compareOutputFields(at, old, current)),
    );
    for (const [name, field] of Object.entries(old.properties ?? {})) {
      const now = current.properties?.[name];
      if (now !== undefined) found.push(...compare(direction, `${at}.${name}`, field, now));
    }
    if (old.items !== undefined) found.push(...compare(direction, `${at}[]`, old.items, current.items ?? {}));
    if (typeof old.additionalProperties === 'object' && typeof current.additionalProperties === 'object')
      found.push(...compare(direction, `${at}.*`, old.additionalProperties, current.additionalProperties));
    return found;
  };

  /** Each form that a value had needs a form that it fits; an answer may take no further form. */
  function compareBranches(direction: Direction, at: string, old: Schema, current: Schema): string[] {
    const oldForms = old.anyOf ?? [old];
    const forms = current.anyOf ?? [current];
    const fits = (oldForm: Schema, form: Schema): boolean =>
      createSchemaComparison(before, after)(direction, at, oldForm, form).length === 0;
    const lost = oldForms.filter((oldForm) => !forms.some((form) => fits(oldForm, form))).length;
    const added = direction === 'input' ? [] : forms.filter((form) => !oldForms.some((one) => fits(one, form)));
    return [
      ...(lost === 0 ? [] : [`${at}: ${lost} of ${oldForms.length} forms of the ${direction} changed or were removed`]),
      ...(added.length === 0 ? [] : [`${at}: ${added.length} forms of the output are new`]),
    ];
  }
}

/** Follows `$ref` and an `allOf` of one part, which carries a description beside a reference. */
function resolve({ components }: Description, schema: Schema): [name: string | undefined, schema: Schema] {
  if (schema.oneOf !== undefined) return [undefined, { ...schema, anyOf: schema.oneOf }];
  const reference = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]!.$ref : undefined);
  if (reference === undefined) return [undefined, schema];
  const name = reference.split('/').at(-1)!;
  const { allOf: _allOf, $ref: _ref, ...own } = schema;
  return [name, { ...components.schemas[name], ...own }];
}

function isTypeKept(direction: Direction, old: Schema, current: Schema): boolean {
  const narrow = direction === 'input' ? old : current;
  const wide = direction === 'input' ? current : old;
  if (wide.type === undefined && wide.properties === undefined) return true;
  const isWider = narrow.type === 'integer' && wide.type === 'number';
  return (narrow.type === wide.type || isWider) && (narrow.format === wide.format || wide.format === undefined);
}

function nameType({ type = 'any', format }: Schema): string {
  return format === undefined ? type : `${type} (${format})`;
}

/** An answer may have further values: clients are told to allow for them. */
function compareEnums(direction: Direction, at: string, old: Schema, current: Schema): string[] {
  const values = current.enum;
  if (values === undefined || old.anyOf !== undefined || current.anyOf !== undefined) return [];
  if (old.enum === undefined) return direction === 'input' ? [`${at}: input takes only ${values.join(', ')}`] : [];
  const removed = old.enum.filter((value) => value !== null && !values.includes(value));
  return removed.length === 0 ? [] : [`${at}: ${direction} ${removed.join(', ')} was removed`];
}

function compareInputFields(at: string, old: Schema, current: Schema): string[] {
  const found: string[] = [];
  for (const name of current.required ?? [])
    if (!(old.required ?? []).includes(name)) found.push(`${at}.${name}: became required`);
  for (const name of Object.keys(old.properties ?? {})) {
    const isTaken = current.properties?.[name] !== undefined || current.additionalProperties !== false;
    if (!isTaken && current.anyOf === undefined) found.push(`${at}.${name}: input was removed`);
    if (current.properties?.[name]?.readOnly === true && old.properties?.[name]?.readOnly !== true)
      found.push(`${at}.${name}: input became read-only`);
  }
  for (const bound of lowerBounds)
    if ((current[bound] ?? 0) > (old[bound] ?? 0)) found.push(`${at}: ${bound} rose to ${current[bound]}`);
  for (const bound of upperBounds)
    if ((current[bound] ?? Infinity) < (old[bound] ?? Infinity))
      found.push(`${at}: ${bound} fell to ${current[bound]}`);
  if (current.pattern !== undefined && current.pattern !== old.pattern)
    found.push(`${at}: input must match ${current.pattern}`);
  return found;
}

function compareOutputFields(at: string, old: Schema, current: Schema): string[] {
  return Object.keys(old.properties ?? {}).flatMap((name) => {
    if (current.anyOf !== undefined) return [];
    if (current.properties?.[name] === undefined) return [`${at}.${name}: output was removed`];
    const isWeaker = (old.required ?? []).includes(name) && !(current.required ?? []).includes(name);
    return isWeaker ? [`${at}.${name}: output may be absent`] : [];
  });
}
