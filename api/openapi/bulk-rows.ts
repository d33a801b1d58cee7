import type { Described } from './tidy.ts';

interface Schema {
  example?: unknown;
  properties?: Record<string, Schema & { items?: object }>;
  required?: string[];
}

/**
 * Describes the rows of bulk calls as the bodies of the single calls. The routes take any row and check each by itself, so that a
 * wrong row does not refuse the others. Changes the document in place.
 */
export function withBulkRows(document: Described): Described {
  const { schemas } = (document as unknown as { components: { schemas: Record<string, Schema> } }).components;
  const { UpdateShortLink: update } = schemas;
  schemas.UpdateShortLinkRow = {
    ...update,
    required: ['id'],
    example: { id: '01890000-0000-7000-8000-000000000000', isActive: false },
    properties: {
      ...update!.properties,
      id: { type: 'string', format: 'uuid', description: 'Id of the short link to change.' } as Schema,
    },
  };
  for (const [bulk, row] of [
    ['CreateShortLinks', 'CreateShortLink'],
    ['UpdateShortLinks', 'UpdateShortLinkRow'],
  ] as const) {
    schemas[bulk]!.properties!.links!.items = { $ref: `#/components/schemas/${row}` };
  }
  return document;
}
