import { initialFlags } from '#core/links/fields.ts';
import { defaultFolderColor } from '#core/links/label.ts';
import type { Described } from './tidy.ts';

/**
 * Values of fields that a create leaves out, by schema. Schemas of creates and updates share their fields, and an update leaves
 * absent fields as they are, so the fields themselves do not tell.
 */
export const defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  CreateShortLink: initialFlags,
  DestinationDraft: { enableDeepLinking: false },
  CreateFolder: { color: defaultFolderColor },
};

/** Adds the defaults to the schemas. Changes the document in place. */
export function withDefaults(document: Described): Described {
  const { schemas } = (
    document as unknown as { components: { schemas: Record<string, { properties: Record<string, object> }> } }
  ).components;
  for (const [name, fields] of Object.entries(defaults))
    for (const [field, value] of Object.entries(fields))
      Object.assign(schemas[name]!.properties[field]!, { default: value });
  return document;
}
