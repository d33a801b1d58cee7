import fc from 'fast-check';
import type { Schema } from './openapi.ts';
import { anyUrl } from './texts.ts';

/** Follows `$ref`. */
export type Resolve = (schema: Schema) => Schema;

/** A value that a schema does not allow, at one place of an input. */
export interface Fault {
  /** Where, as errors name it: `rules.0.countries`. */
  path: string;
  /** For the name of the case. */
  why: string;
  /** The whole input, wrong there. */
  input: unknown;
}

/** Values that a schema allows. @param ids that exist, to be tried beside others. */
export function allowed(schema: Schema, resolve: Resolve, ids: () => readonly string[]): fc.Arbitrary<unknown> {
  const own = resolve(schema);
  const value = withoutNull(own, resolve, ids);
  const generated = own.nullable === true ? fc.option(value, { freq: 5 }) : value;
  return own.example === undefined
    ? generated
    : fc.oneof({ weight: 2, arbitrary: fc.constant(own.example) }, { weight: 3, arbitrary: generated });
}

function withoutNull(schema: Schema, resolve: Resolve, ids: () => readonly string[]): fc.Arbitrary<unknown> {
  const inner = (part: Schema): fc.Arbitrary<unknown> => allowed(part, resolve, ids);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(inner));
  switch (schema.type) {
    case 'object': {
      const { properties = {}, required = [], example = {} } = schema;
      const optional = Object.keys(properties).filter((key) => !required.includes(key));
      // A few at a time: of many at once, one is always wrong for a reason that no schema tells.
      return fc
        .subarray(optional, { maxLength: Math.min(3, optional.length) })
        .chain((keys) =>
          fc
            .record(Object.fromEntries([...required, ...keys].map((key) => [key, inner(properties[key]!)])))
            .chain((record) => fc.constantFrom<unknown>(record, { ...(example as object), ...record })),
        );
    }
    case 'array':
      return fc.array(inner(schema.items ?? {}), {
        minLength: schema.minItems,
        maxLength: schema.maxItems,
        size: '-1',
      });
    case 'string':
      return strings(schema, ids);
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000_000 });
    case 'number':
      return fc.double({
        min: schema.minimum ?? -1_000,
        max: schema.maximum ?? 10_000,
        noNaN: true,
        minExcluded: schema.exclusiveMinimum === true,
      });
    case 'boolean':
      return fc.boolean();
    case undefined:
      return fc.jsonValue({ maxDepth: 3 });
  }
}

function strings(schema: Schema, ids: () => readonly string[]): fc.Arbitrary<string> {
  const { format, pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  if (format === 'uuid')
    return fc.oneof(
      fc.uuid({ version: 7 }),
      fc.nat().map((index) => ids()[index % ids().length]!),
    );
  if (format === 'date-time')
    return fc
      .date({ min: new Date('2000-01-01T00:00:00Z'), max: new Date('2099-01-01T00:00:00Z'), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (format === 'uri') return anyUrl;
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 30) });
}

/** The example of a schema, else the least that it allows. */
export function least(schema: Schema, resolve: Resolve): unknown {
  const own = resolve(schema);
  const { example, enum: choices, anyOf, type, format, pattern, minLength = 1, minimum, exclusiveMinimum } = own;
  if (example !== undefined) return example;
  if (choices !== undefined) return choices[0];
  if (anyOf !== undefined) return least(anyOf[0]!, resolve);
  switch (type) {
    case 'object': {
      const { properties = {}, required = [] } = own;
      return Object.fromEntries(required.map((key) => [key, least(properties[key]!, resolve)]));
    }
    case 'array':
      return Array.from({ length: own.minItems ?? 0 }, () => least(own.items ?? {}, resolve));
    case 'string':
      if (format === 'uuid') return '01890000-0000-7000-8000-000000000000';
      if (format === 'date-time') return '2026-03-14T15:09:26.535Z';
      if (format === 'uri') return 'https://example.com/';
      if (pattern !== undefined) return matching(pattern);
      return 'x'.repeat(minLength);
    case 'integer':
    case 'number':
      return (minimum ?? 0) + (exclusiveMinimum === true ? 1 : 0);
    case 'boolean':
      return true;
    case undefined:
      return null;
  }
}

const samples = new Map<string, string>();

/** A text that matches; looked for once, since it takes long. */
function matching(pattern: string): string {
  const known = samples.get(pattern) ?? fc.sample(fc.stringMatching(new RegExp(pattern)), { seed: 1, numRuns: 1 })[0]!;
  samples.set(pattern, known);
  return known;
}

/**
 * Everything that a schema forbids, one case each: wrong types, missing and unknown fields, values beyond a bound, NUL.
 * Unknown fields have names that are dangerous to copy, too.
 */
export function faultsOf(schema: Schema, resolve: Resolve): Fault[] {
  const faults = faultsAt(resolve(schema), least(schema, resolve), resolve);
  return [...faults].map(({ keys, why, input }) => ({ path: keys.join('.'), why, input }));
}

interface FaultAt {
  keys: string[];
  why: string;
  input: unknown;
}

/** @param base a value that is right: each fault is put into a copy of it. */
function* faultsAt(schema: Schema, base: unknown, resolve: Resolve): Generator<FaultAt> {
  for (const [why, input] of wrongValues(schema, resolve)) yield { keys: [], why, input };
  if (schema.type === 'array') {
    const items = resolve(schema.items ?? {});
    for (const { keys, why, input } of faultsAt(items, (base as unknown[])[0] ?? least(items, resolve), resolve))
      yield { keys: ['0', ...keys], why, input: [input] };
  }
  const { properties = {}, required = [], additionalProperties } = schema;
  const fields = (base ?? {}) as Record<string, unknown>;
  if (additionalProperties === false) {
    for (const key of ['surplus', '__proto__', 'constructor', 'toString'])
      yield { keys: [key], why: 'unknown field', input: withField(fields, key, { polluted: true }) };
  }
  for (const key of required) {
    const { [key]: _missing, ...rest } = fields;
    yield { keys: [key], why: 'missing', input: rest };
  }
  for (const [key, part] of Object.entries(properties)) {
    const own = resolve(part);
    for (const fault of faultsAt(own, fields[key] ?? least(own, resolve), resolve))
      yield { keys: [key, ...fault.keys], why: fault.why, input: withField(fields, key, fault.input) };
  }
}

/** A list of entries makes an own `__proto__` too. */
function withField(fields: Record<string, unknown>, key: string, value: unknown): object {
  return Object.fromEntries([...Object.entries(fields).filter(([name]) => name !== key), [key, value]]);
}

function* wrongValues(schema: Schema, resolve: Resolve): Generator<[why: string, value: unknown]> {
  const { type, minLength = 0, maxLength, minimum, maximum, minItems = 0, maxItems, items = {} } = schema;
  for (const value of wrongTypes(schema)) yield [`wrong type: ${JSON.stringify(value).slice(0, 20)}`, value];
  if (schema.enum !== undefined) yield ['no such choice', 'no such choice'];
  else if (type === 'string') {
    if (maxLength !== undefined) yield ['too long', 'x'.repeat(maxLength + 1)];
    if (minLength > 0) yield ['too short', 'x'.repeat(minLength - 1)];
    if (schema.pattern !== undefined) yield ['another pattern', '?'];
    yield ['NUL', 'x\u0000y'];
    yield ['half a surrogate pair', 'x\ud800'];
  }
  if (type === 'integer') yield ['not whole', 1.5];
  if (minimum !== undefined) yield ['below', schema.exclusiveMinimum === true ? minimum : minimum - 1];
  if (maximum !== undefined) yield ['above', maximum + 1];
  if (maxItems !== undefined) yield ['too many', Array.from({ length: maxItems + 1 }, () => least(items, resolve))];
  if (minItems > 0) yield ['too few', []];
}

function wrongTypes({ type, nullable, anyOf, enum: choices }: Schema): unknown[] {
  if (type === undefined && anyOf === undefined) return [];
  const types = new Set(anyOf === undefined ? [type] : anyOf.map((branch) => branch.type));
  const isNullable = nullable === true || anyOf?.some((branch) => branch.nullable === true) === true;
  return [
    ...(isNullable || choices !== undefined ? [] : [null]),
    ...(types.has('boolean') ? [] : [true]),
    ...(types.has('number') || types.has('integer') ? ['7'] : [7]),
    ...(types.has('array') ? [] : [nested(500)]),
    ...(types.has('object') ? [] : [{ polluted: true }]),
  ];
}

function nested(depth: number): unknown {
  let value: unknown = [];
  for (let level = 1; level < depth; level += 1) value = [value];
  return value;
}
