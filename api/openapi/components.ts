import { isDeepStrictEqual } from 'node:util';
import { type OpenApi, reference, referencesIn } from './types.ts';

/** Removes schemas that no route refers to: the type provider emits each named schema twice, for requests and for answers. */
export function removeUnused(document: OpenApi): void {
  const { components, ...rest } = document;
  const used = referencesIn(rest, components.schemas);
  const kept = Object.entries(components.schemas).filter(([name]) => used.has(name));
  document.components = { ...components, schemas: Object.fromEntries(kept) };
}

/**
 * Names the schemas of requests as the ones of answers are. The type provider adds `Input` to their names, which tells something only
 * where a request and an answer have different forms of one schema. Unused schemas are gone by now.
 */
export function nameSchemasPlainly(document: OpenApi): void {
  const { components } = document;
  const names = new Map(
    Object.keys(components.schemas)
      .filter((name) => name.endsWith('Input'))
      .map((name) => [name, name.slice(0, -'Input'.length)] as const),
  );
  const rename = <Part>(part: Part): Part =>
    JSON.parse(
      JSON.stringify(part).replaceAll(
        reference,
        (_whole, name: string) => `"#/components/schemas/${names.get(name) ?? name}"`,
      ),
    ) as Part;
  const { schemas } = rename(components);
  for (const [name, plain] of names)
    if (plain in schemas && !isDeepStrictEqual(schemas[name], schemas[plain])) names.delete(name);
  const named = rename(components).schemas;
  const renamed = Object.entries(named).map(([name, schema]) => [names.get(name) ?? name, schema]);
  Object.assign(document, rename(document), { components: { ...components, schemas: Object.fromEntries(renamed) } });
}
