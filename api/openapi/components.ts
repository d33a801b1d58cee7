import { isDeepStrictEqual } from 'node:util';
import type { Described } from './tidy.ts';

/** Removes schemas that no route refers to: the type provider emits each named schema twice, for requests and for answers. */
export function withoutUnused(document: Described): Described {
  const { components, ...rest } = document as { components?: { schemas?: object } };
  const schemas = new Map<string, unknown>(Object.entries(components?.schemas ?? {}));
  const used = new Map<string, unknown>();
  const take = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (used.has(name)) continue;
      used.set(name, schemas.get(name));
      take(schemas.get(name));
    }
  };
  take(rest);
  const kept = [...schemas].filter(([name]) => used.has(name));
  return Object.assign(document, { components: { ...components, schemas: Object.fromEntries(kept) } });
}

const requestForm = /Input$/;

/**
 * Names the schemas of requests as the ones of answers are: the type provider adds `Input` to them, which tells something only where a
 * schema has two forms.
 */
export function withPlainNames(document: Described): Described {
  const schemas = (document as { components?: { schemas?: Record<string, unknown> } }).components?.schemas ?? {};
  const used = new Set(
    [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name),
  );
  const plainOf = (name: string): string => name.replace(requestForm, '');
  const hasOneForm = (name: string): boolean =>
    !used.has(plainOf(name)) || isDeepStrictEqual(rename(schemas[name]), rename(schemas[plainOf(name)]));
  const rename = (part: unknown): unknown =>
    JSON.parse(JSON.stringify(part ?? null).replaceAll(/(#\/components\/schemas\/[^"]+?)Input"/g, '$1"'));
  const names = new Map(
    Object.keys(schemas)
      .filter((name) => requestForm.test(name) && hasOneForm(name))
      .map((name) => [name, plainOf(name)]),
  );
  const renamed = JSON.parse(
    JSON.stringify(document).replaceAll(
      /"#\/components\/schemas\/([^"]+)"/g,
      (whole, name: string) => `"#/components/schemas/${names.get(name) ?? name}"`,
    ),
  ) as typeof document;
  const components = (renamed as { components: { schemas: Record<string, unknown> } }).components;
  components.schemas = Object.fromEntries(
    Object.entries(components.schemas).map(([name, schema]) => [names.get(name) ?? name, schema]),
  );
  return renamed;
}
