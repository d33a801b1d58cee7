import { initialFlags } from '#core/links/fields.ts';
import { defaultFolderColor } from '#core/links/label.ts';
import type { OpenApi } from './types.ts';

/**
 * Values of fields that a create leaves out, by schema. Schemas of creates and updates share their fields, and an update leaves
 * absent fields as they are, so the fields themselves do not tell.
 */
export const defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  CreateShortLink: initialFlags,
  DestinationDraft: { enableDeepLinking: false },
  CreateFolder: { color: defaultFolderColor },
};

export function addDefaults({ components: { schemas } }: OpenApi): void {
  for (const [name, fields] of Object.entries(defaults))
    for (const [field, value] of Object.entries(fields)) schemas[name]!.properties![field]!.default = value;
}
