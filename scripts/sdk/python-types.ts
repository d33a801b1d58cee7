import type { Schema } from './document.ts';

// Types of the Python SDK, as the schemas of the API's description have them.

const keywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

/** As `createMany` in `create_many`. @throws Error where Python has another use for the name. */
export function snakeCase(name: string): string {
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (keywords.has(snake)) throw new Error(`Python cannot name a method ${snake}.`);
  return snake;
}

export const pascalCase = (name: string): string => name.replace(/^[a-z]/, (letter) => letter.toUpperCase());

/** Indented by four times `depth`. */
export function docstring(text: string, depth: number): string {
  const indent = ' '.repeat(4 * depth);
  const escaped = text.replaceAll('\\', String.raw`\\`).replaceAll('"""', String.raw`\"\"\"`);
  const lines = escaped.replace(/"$/, String.raw`\"`).split('\n');
  return `${lines.map((line, index) => (line === '' ? '' : indent + (index === 0 ? '"""' : '') + line)).join('\n')}"""\n`;
}

/** Collects declarations of types while their names are asked for. */
export interface PythonTypes {
  /**
   * @param name that the type gets where the schema has none.
   * @param prefix of the module of types, where the type is used in another one. @returns the type in Python's words.
   */
  typeOf(schema: Schema, name: string, prefix?: string): string;
  /** Follows `$ref`. */
  resolve(schema: Schema): Schema;
  names(): string[];
  /** @returns all declarations. */
  write(): string;
}

const scalars: Readonly<Record<string, string>> = { string: 'str', integer: 'int', number: 'float', boolean: 'bool' };

export function createPythonTypes(schemas: Readonly<Record<string, Schema>>): PythonTypes {
  const declared = new Map<string, { text: string; schema: Schema }>();

  function typeOf(schema: Schema, name: string, prefix = ''): string {
    const type = typeWithoutNull(schema, name, prefix);
    return schema.nullable === true && type !== 'Any' ? `${type} | None` : type;
  }

  function typeWithoutNull(schema: Schema, name: string, prefix: string): string {
    const { $ref, type, enum: choices, properties, additionalProperties, items, allOf, oneOf, anyOf } = schema;
    if ($ref !== undefined) return prefix + refName($ref);
    const parts = allOf ?? oneOf ?? anyOf;
    if (allOf !== undefined && allOf.length > 1) throw new Error(`${name} joins several schemas.`);
    if (parts !== undefined) return parts.map((part, index) => typeOf(part, `${name}${index + 1}`, prefix)).join(' | ');
    if (choices !== undefined)
      return `Literal[${choices
        .filter((one) => one !== null)
        .map(literal)
        .join(', ')}]`;
    // Classes of nouns have methods named `list`.
    if (type === 'array') return `${prefix && 'builtins.'}list[${typeOf(items ?? {}, `${name}Item`, prefix)}]`;
    if (type === 'object' && Object.keys(properties ?? {}).length > 0) return prefix + declare(name, schema);
    if (type === 'object') {
      const values = typeof additionalProperties === 'object' ? additionalProperties : {};
      return `dict[str, ${typeOf(values, `${name}Value`, prefix)}]`;
    }
    if (schema.format === 'binary') return 'File';
    return scalars[type ?? ''] ?? 'Any';
  }

  /** Declares a TypedDict; the same name stands for the same schema only. */
  function declare(name: string, schema: Schema): string {
    const known = declared.get(name);
    if (known !== undefined && JSON.stringify(known.schema) !== JSON.stringify(schema))
      throw new Error(`Two types have the name ${name}.`);
    if (known !== undefined) return name;
    const entry = { text: '', schema };
    declared.set(name, entry);
    const { properties = {}, required = [], description } = schema;
    const fields = Object.entries(properties).map(([key, part]) => {
      const type = typeOf(part, name + pascalCase(key));
      return { key, type: required.includes(key) ? type : `NotRequired[${type}]`, about: part.description };
    });
    const isPlain = fields.every(({ key }) => /^\w+$/.test(key) && !keywords.has(key));
    entry.text = isPlain
      ? `class ${name}(TypedDict):\n${description === undefined ? '' : `${docstring(description, 1)}\n`}${fields
          .map(({ key, type, about }) => `    ${key}: ${type}\n${about === undefined ? '' : docstring(about, 1)}`)
          .join('')}`
      : `${name} = TypedDict("${name}", {${fields.map(({ key, type }) => `"${key}": ${JSON.stringify(type)}`).join(', ')}})\n`;
    return name;
  }

  for (const [name, schema] of Object.entries(schemas)) declare(name, schema);
  return {
    typeOf,
    resolve: (schema) => (schema.$ref === undefined ? schema : schemas[refName(schema.$ref)]!),
    names: () => [...declared.keys()],
    write: () => [...declared.values()].map(({ text }) => text).join('\n\n'),
  };
}

const refName = ($ref: string): string => $ref.split('/').at(-1)!;
const literal = (value: unknown): string =>
  typeof value === 'boolean' ? pascalCase(String(value)) : JSON.stringify(value);
