import { isDeepStrictEqual } from 'node:util';
import type { OpenApi } from './types.ts';

/** Corrects imprecise translations of Zod schemas. @returns a copy of the whole document. */
export function tidy(document: object): OpenApi {
  return JSON.parse(JSON.stringify(document), (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? tidyObject({ ...value }) : value,
  ) as OpenApi;
}

interface Loose {
  [keyword: string]: unknown;
}

function tidyObject(object: Loose): Loose {
  if (object.description === 'Default Response') object.description = 'Success.';
  // Queries write flags as text; clients send booleans in that form.
  if (Array.isArray(object.enum) && isDeepStrictEqual(object.enum.toSorted(), ['0', '1', 'false', 'true'])) {
    Object.assign(object, { type: 'boolean', example: true });
    delete object.enum;
  }
  if ('x-default' in object) {
    object.default = object['x-default'];
    delete object['x-default'];
  }
  // Literals of whole numbers.
  if (object.type === 'number' && Array.isArray(object.enum) && object.enum.every(Number.isInteger))
    object.type = 'integer';
  if (object.type === 'integer') {
    // Integers of a query are transformed strings, whose pattern is of no use to a client.
    delete object.pattern;
    // Limits of JSON numbers, not of the service.
    if (object.minimum === Number.MIN_SAFE_INTEGER) delete object.minimum;
    if (object.maximum === Number.MAX_SAFE_INTEGER) delete object.maximum;
  }
  // In OpenAPI 3.0.3 `nullable` needs a `type` beside it.
  if (object.nullable === true && object.type === undefined && Array.isArray(object.anyOf)) {
    delete object.nullable;
    object.anyOf = object.anyOf.map((branch: Loose) =>
      branch.type === undefined ? branch : { ...branch, nullable: true },
    );
  }
  // A body with a default may be left out.
  const body = (object.content as { 'application/json'?: { schema?: Loose } } | undefined)?.['application/json']
    ?.schema;
  if (object.required === true && body?.default !== undefined) {
    object.required = false;
    delete body.default;
    // A reference stands in a list of its own beside a default.
    const [reference] = (body.allOf as [Loose] | undefined) ?? [];
    delete body.allOf;
    Object.assign(body, reference);
  }
  // An enum must list null.
  if (object.nullable === true && Array.isArray(object.enum) && !object.enum.includes(null)) {
    object.enum = [...(object.enum as unknown[]), null];
  }
  return object;
}
