import { z } from 'zod';
import { idSchema } from '#core/links/draft.ts';
import { besideOthers, namingPassedEnd, orDefault } from '#core/lib/schemas.ts';
import { patchLinkSchema } from '#core/links/patch.ts';
import { deletedSchema, errorSchema } from '#api/schemas.ts';
import { changedLinkSchema, patchBodySchema } from '#api/short-link/schema.ts';

const maxBulk = 100;
// 10 hashes take a quarter of a second of one processor.
const maxPasswords = 10;
// The route validates each row by itself, so that an invalid row does not refuse the others.
const anyRow = z.unknown();

/** Refuses passwords of rows, not yet validated, that are too many. */
function limitPasswords({ links }: { links?: unknown }, context: z.RefinementCtx): void {
  if (!Array.isArray(links)) return;
  const setting = links.flatMap((row: { password?: unknown } | null, index) => (row?.password ? index : []));
  const message = `must be set of at most ${maxPasswords} links in one call`;
  for (const index of setting.slice(maxPasswords))
    context.addIssue({ code: 'custom', path: ['links', index, 'password'], message });
}

export const bulkQuerySchema = z.strictObject({
  wait: z
    .literal('verdicts')
    .optional()
    .describe('Waits a moment for the verdicts of scans; without it they are null until the scans have ended.'),
});

/** The body of POST /short-link/bulk: each row is checked by itself. */
export const bulkCreateSchema = z
  .strictObject({ links: z.array(anyRow).min(1).max(maxBulk).describe('Bodies of POST /short-link.') })
  .superRefine(limitPasswords, besideOthers)
  .meta({
    id: 'CreateShortLinks',
    description: 'Up to 100 short links to create.',
    example: { links: [{ destination: { type: 'link', value: 'https://example.com/1' } }] },
  });

const bulkIds = z
  .array(anyRow.meta({ type: 'string', format: 'uuid' }))
  .min(1)
  .max(maxBulk);

/** The body of PATCH /short-link/bulk: rows, each of which is checked by itself, or one change of many links. */
export const bulkPatchSchema = z
  .strictObject({
    // Clients in Java send null for a list that they leave out, or an empty one where null is not described.
    links: orDefault(z.array(anyRow).min(1).max(maxBulk)).describe(
      'Bodies of PATCH /short-link/{id}, each with its id; not with ids.',
    ),
    ids: orDefault(bulkIds).describe('Ids of the links that change gets; with change.'),
    change: patchBodySchema.optional().describe('What changes in each of the links of ids.'),
  })
  .superRefine(({ links, ids, change }, context) => {
    if ((links === undefined) !== (ids === undefined) && (ids === undefined) === (change === undefined)) return;
    context.addIssue({ code: 'custom', path: ['links'], message: 'is required, or ids with change, and not both' });
  }, besideOthers)
  .superRefine(limitPasswords, besideOthers)
  .meta({
    id: 'UpdateShortLinks',
    description: 'Changes of up to 100 short links.',
    example: { links: [{ id: '01890000-0000-7000-8000-000000000000', isActive: false }] },
  });

export const bulkPatchRowSchema = namingPassedEnd(patchLinkSchema.extend({ id: idSchema }));

export const bulkDeleteSchema = z
  .strictObject({
    ids: bulkIds,
  })
  .meta({
    id: 'DeleteShortLinks',
    description: 'Up to 100 short links to delete.',
    example: { ids: ['01890000-0000-7000-8000-000000000000'] },
  });

const failedRowSchema = z
  .strictObject({ status: z.int(), error: errorSchema.omit({ requestId: true }) })
  .meta({ id: 'FailedRow', description: 'A row of a bulk call that was refused.' });
const deletedRowSchema = z
  .strictObject({ status: z.int(), data: deletedSchema })
  .meta({ id: 'DeletedRow', description: 'A row of a bulk call that was done.' });
const linkRowSchema = z
  .strictObject({ status: z.int(), data: changedLinkSchema })
  .meta({ id: 'ShortLinkRow', description: 'A row of a bulk call that was done.' });

/** The answer of bulk calls, in the order sent; `status` is what the row alone would have been answered. */
export const bulkLinksSchema = z.strictObject({
  results: z.array(z.union([linkRowSchema, failedRowSchema])),
});

export const bulkDeletedSchema = z.strictObject({
  results: z.array(z.union([deletedRowSchema, failedRowSchema])),
});
