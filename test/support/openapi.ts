import { Ajv, type ValidateFunction } from 'ajv';
import type { FastifyInstance } from 'fastify';

/** A schema of OpenAPI 3.0.3, as far as the tests read it. */
export interface Schema {
  $ref?: string;
  type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean';
  nullable?: boolean;
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: boolean;
  pattern?: string;
  format?: string;
  example?: unknown;
}

/** A field of a query or of a path. */
export interface Parameter {
  in: 'query' | 'path' | 'header';
  name: string;
  required: boolean;
  schema: Schema;
}

/** An operation of a description. */
export interface Operation {
  /** `POST /folder`. */
  name: string;
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** With `{id}` in it. */
  path: string;
  parameters: Parameter[];
  /** Schema of the JSON that it takes; undefined: none. */
  body: Schema | undefined;
  isBodyOptional: boolean;
  isMultipart: boolean;
  /** Callers: holders of a key or a session, signed-in users alone, or the public. */
  caller: 'key' | 'session' | 'anybody';
}

/** An answer as it came. */
export interface RawAnswer {
  status: number;
  contentType: string | undefined;
  text: string;
}

/** A description of an API that answers can be held against. */
export interface Description {
  operations: Operation[];
  /** Follows `$ref`. */
  resolve(schema: Schema): Schema;
  /** Difference of an answer from its description; undefined: none. */
  problemOf(operation: Operation, answer: RawAnswer): string | undefined;
}

interface RawOperation {
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
  security?: Record<string, unknown>[];
}

/** Body of `/doc`. */
export interface OpenapiDocument {
  paths: Record<string, Record<string, RawOperation>>;
  components: { schemas: Record<string, Schema>; parameters?: Record<string, Parameter> };
}

let documentText: Promise<string> | undefined;

/** A copy of the body of `/doc`, which costs 0.4 s of a core: files of a process share that of the first API that is asked. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into every part of it
export async function readDocument({ app }: { app: FastifyInstance }): Promise<any> {
  documentText ??= app.inject('/doc').then(({ payload }) => payload);
  return JSON.parse(await documentText);
}

/** Reads a description; what it says of null is taken at its word, as OpenAPI 3.0.3 puts it. */
export function readDescription(document: OpenapiDocument): Description {
  // Schemas that others name are compiled once, in place of once for each that names them.
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: false, inlineRefs: false });
  ajv.addSchema(toJsonSchema(document), 'doc');
  const validators = new Map<string, ValidateFunction>();

  function validatorOf(path: readonly string[]): ValidateFunction {
    const pointer = path.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const known = validators.get(pointer) ?? ajv.compile({ $ref: `doc#/${pointer}` });
    validators.set(pointer, known);
    return known;
  }

  return {
    operations: Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, raw]) => readOperation(path, method, raw, document.components.parameters)),
    ),
    resolve(schema) {
      if (schema.$ref === undefined) return schema;
      return document.components.schemas[schema.$ref.split('/').at(-1)!]!;
    },
    problemOf({ path, method }, { status, contentType, text }) {
      const place = ['paths', path, method.toLowerCase(), 'responses', String(status)];
      const response = document.paths[path]![method.toLowerCase()]!.responses[String(status)];
      if (response === undefined) return `status ${status} is not described`;
      if (response.content === undefined) return text === '' ? undefined : 'has a body that is not described';
      const type = contentType?.split(';')[0] ?? 'none';
      if (response.content[type] === undefined) return `content of type ${type} is not described`;
      if (type !== 'application/json') return undefined;
      const validate = validatorOf([...place, 'content', type, 'schema']);
      if (validate(JSON.parse(text))) return undefined;
      return ajv.errorsText(validate.errors, { dataVar: 'body' });
    },
  };
}

function readOperation(
  path: string,
  method: string,
  raw: RawOperation,
  named: Record<string, Parameter> = {},
): Operation {
  const { parameters = [], requestBody, security } = raw;
  const caller =
    security === undefined ? 'key' : security.some((needed) => 'session' in needed) ? 'session' : 'anybody';
  return {
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase() as Operation['method'],
    path,
    parameters: parameters.map((one) => ('$ref' in one ? named[one.$ref.split('/').at(-1)!]! : one)),
    body: requestBody?.content['application/json']?.schema,
    isBodyOptional: requestBody?.required !== true,
    isMultipart: requestBody?.content['multipart/form-data'] !== undefined,
    caller,
  };
}

/** `nullable` adds null to the type beside it, and to nothing else; a boolean `exclusiveMinimum` belongs to `minimum`. */
function toJsonSchema(document: OpenapiDocument): object {
  return JSON.parse(JSON.stringify(document), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const { nullable, ...schema } = value as Record<string, unknown>;
    if (nullable === true && typeof schema.type === 'string') schema.type = [schema.type, 'null'];
    if (schema.exclusiveMinimum === true) {
      schema.exclusiveMinimum = schema.minimum;
      delete schema.minimum;
    }
    return schema;
  }) as object;
}
