import type { Schema } from '#scripts/sdk/document.ts';
import { align, chosenNames, comment, exported } from './names.ts';

/**
 * How optional fields are written: of an input by `Optional`, which tells null from absent; of an answer by pointers; of a query by their
 * zero value.
 */
type Use = 'input' | 'answer' | 'query';

type Row = Parameters<typeof align>[0][number];

interface Field {
  name: string;
  schema: Schema;
  isRequired: boolean;
}

/** Writes Go types for schemas. Each type is written once, under the name of its component, or of the place where it stands first. */
export type Types = ReturnType<typeof createTypes>;

/** @param inputs what requests send; their components are written as inputs, in answers too. */
export function createTypes(components: Record<string, Schema>, inputs: readonly Schema[]) {
  /** Texts of declarations by name. */
  const declared = new Map<string, string>();
  /** Names of structs without a component, by their fields. */
  const known = new Map<string, string>();
  const enums = new Map<string, ReadonlySet<string>>();
  const enumNames = new Map<string, string>();
  const sent = componentsOf(inputs, components);
  const usedNames = new Set<string>();

  const componentName = ({ $ref = '' }: Schema): string => $ref.replace('#/components/schemas/', '');
  const chosen = (name: string): string => {
    if (name in chosenNames) usedNames.add(name);
    return chosenNames[name] ?? name;
  };

  /** Resolves the reference of a schema and merges its alternatives: a field that one of them lacks is optional. */
  function resolve(schema: Schema): Schema {
    if (schema.$ref !== undefined) return resolve(components[componentName(schema)]!);
    if (schema.allOf !== undefined) return { ...resolve(schema.allOf[0]!), nullable: schema.nullable };
    if (schema.oneOf === undefined) return schema;
    const parts = schema.oneOf.map(resolve);
    return {
      type: 'object',
      properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as Record<string, Schema>,
      required: parts[0]!.required?.filter((name) => parts.every(({ required }) => required?.includes(name))),
    };
  }

  /** The Go type of a schema, null aside. @param place the name of a type that has no component. */
  function typeOf(schema: Schema, place: string, use: Use): string {
    if (schema.$ref !== undefined) {
      const component = componentName(schema);
      const name = exported(component);
      if (!declared.has(name)) {
        declared.set(name, '');
        declareStruct(name, components[component]!, sent.has(component) ? 'input' : 'answer');
      }
      return name;
    }
    if (schema.allOf !== undefined) return typeOf(schema.allOf[0]!, place, use);
    if (schema.oneOf !== undefined) return typeOf(resolve(schema), place, use);
    if (schema.enum !== undefined && schema.type === 'string') return enumOf(schema, chosen(place));
    switch (schema.type) {
      case 'string':
        return schema.format === 'date-time' ? 'time.Time' : schema.format === 'binary' ? 'File' : 'string';
      case 'integer':
        // More than 32 bits hold.
        return place.endsWith('Bytes') ? 'int64' : 'int';
      case 'number':
        return 'float64';
      case 'boolean':
        return 'bool';
      case 'array':
        return `[]${typeOf(schema.items!, place, use)}`;
      case 'object': {
        if (Object.keys(schema.properties ?? {}).length > 0) return structOf(schema, chosen(place), use);
        const values = schema.additionalProperties;
        const type = typeof values === 'object' ? typeOf(values, place, use) : 'any';
        // A caller may have a struct for an object of any fields.
        return type === 'any' && use === 'input' ? 'any' : `map[string]${type}`;
      }
      case undefined:
        return 'any';
    }
  }

  function enumOf({ enum: choices = [] }: Schema, name: string): string {
    const values = choices.filter((value): value is string => typeof value === 'string');
    if (values.length < 2) return 'string';
    const key = values.join('|');
    const own = enumNames.get(key) ?? name;
    enumNames.set(key, own);
    enums.set(own, new Set([...(enums.get(own) ?? []), ...values]));
    return own;
  }

  function structOf(schema: Schema, name: string, use: Use): string {
    const { properties = {}, required = [] } = schema;
    const fields = Object.entries(properties).map(([field, own]) => ({
      name: field,
      schema: own,
      isRequired: required.includes(field),
    }));
    const rows = fields.flatMap((field) => rowOf(field, name, use));
    const key = JSON.stringify(rows.map(({ cells }) => cells));
    const same = known.get(key);
    if (same !== undefined) return same;
    if (declared.has(name)) throw new Error(`Two types would be ${name}: name one in chosenNames.`);
    known.set(key, name);
    declared.set(name, structText(name, schema.description, rows));
    return name;
  }

  function declareStruct(name: string, { properties = {}, required = [], description }: Schema, use: Use): void {
    const rows = Object.entries(properties).flatMap(([field, schema]) =>
      rowOf({ name: field, schema, isRequired: required.includes(field) }, name, use),
    );
    declared.set(name, structText(name, description, rows));
  }

  function rowOf({ name, schema, isRequired }: Field, parent: string, use: Use): Row[] {
    if (use === 'input' && schema.readOnly === true) return [];
    const type = typeOf(schema, parent + exported(name), use);
    const { nullable = false, description } = resolve(schema);
    const written = isRequired && !nullable ? type : withoutValue(type, use, nullable);
    const tag = type === 'File' ? '-' : isRequired ? name : `${name},omitzero`;
    const about = comment(schema.description ?? description, '\t');
    return [{ comment: about, cells: [exported(name), written, `\`json:"${tag}"\``] }];
  }

  return {
    typeOf,
    resolve,
    /** Declares the data of an event: a type of its own, also where another event has the same fields. */
    declareEvent: (name: string, schema: Schema): void => declareStruct(name, schema, 'answer'),
    declareQuery(name: string, operationId: string, fields: readonly Field[]): void {
      const rows = fields.flatMap((field) => rowOf(field, name.replace(/Query$/, ''), 'query'));
      declared.set(name, structText(name, `the query of ${operationId}.`, rows));
    },
    /** Every declaration, by name. */
    write(): string {
      const unused = Object.keys(chosenNames).filter((name) => !usedNames.has(name));
      if (unused.length > 0) throw new Error(`chosenNames has names of nothing: ${unused.join(', ')}`);
      const all = new Map(declared);
      for (const [name, values] of enums) {
        if (all.has(name)) throw new Error(`Two types would be ${name}: name one in chosenNames.`);
        all.set(name, enumText(name, values));
      }
      return [...all]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([, text]) => text)
        .join('\n');
    },
  };
}

/** The Go type of a field that may be absent, or null. */
function withoutValue(type: string, use: Use, isNullable: boolean): string {
  const isNil = /^(\[\]|map\[|any$)/.test(type);
  // A zero is left out of a query; false is a value of its own.
  if (use === 'query') return type === 'bool' ? 'Optional[bool]' : type;
  if (use === 'answer') return isNil ? type : `*${type}`;
  return isNil && !isNullable && type !== 'any' ? type : `Optional[${type}]`;
}

function structText(name: string, description: string | undefined, rows: readonly Row[]): string {
  const about = comment(description === undefined ? undefined : `${name}: ${lowerFirst(description)}`);
  return `${about}type ${name} struct {\n${align(rows)}}\n`;
}

function enumText(name: string, values: Iterable<string>): string {
  const prefix = name === 'ErrorCode' ? 'Err' : name;
  const rows = [...values].map((value) => {
    const own = exported(name === 'ErrorCode' ? value.replace(/_ERROR$/, '') : value);
    return { comment: '', cells: [prefix + own, name, `= ${JSON.stringify(value)}`] };
  });
  return `// ${name} is one of the values below. Later versions of the API may have more.\ntype ${name} string\n\nconst (\n${align(rows)})\n`;
}

/** Names of the components that schemas refer to, directly or through other components. */
function componentsOf(schemas: readonly Schema[], components: Record<string, Schema>): Set<string> {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      const name = key === '$ref' && typeof inner === 'string' ? inner.replace('#/components/schemas/', '') : undefined;
      if (name === undefined) look(inner);
      else if (!found.has(name)) {
        found.add(name);
        look(components[name]);
      }
    }
  };
  look(schemas);
  return found;
}

export function lowerFirst(text: string): string {
  return /^[A-Z][a-z ]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}
