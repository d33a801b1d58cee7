import type { OpenApi } from './types.ts';

/**
 * Describes the rows of bulk calls as the bodies of the single calls. The routes take any row and check each by itself, so that a
 * wrong row does not refuse the others.
 */
export function describeBulkRows({ components: { schemas } }: OpenApi): void {
  const { UpdateShortLink: update } = schemas;
  schemas.UpdateShortLinkRow = {
    ...update,
    required: ['id'],
    example: { id: '01890000-0000-7000-8000-000000000000', isActive: false },
    properties: {
      ...update!.properties,
      id: { type: 'string', format: 'uuid', description: 'Id of the short link to change.' },
    },
  };
  for (const [bulk, row] of [
    ['CreateShortLinks', 'CreateShortLink'],
    ['UpdateShortLinks', 'UpdateShortLinkRow'],
  ] as const) {
    schemas[bulk]!.properties!.links!.items = { $ref: `#/components/schemas/${row}` };
  }
}
