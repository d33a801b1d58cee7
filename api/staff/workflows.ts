import { z } from 'zod';
import type { WorkflowRun } from '#adapters/temporal/workflows.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { reading, router } from './context.ts';
import { listShape } from './lists.ts';

const listInput = z
  .strictObject({
    ...listShape,
    cursor: z
      .string()
      .max(4_000)
      .regex(/^[\w-]+$/, 'is not that of a page')
      .optional(),
  })
  .prefault({});

/** What runs, and has run, in Temporal; `search` is what ids begin with. */
export const workflowTools = ({ workflows }: ApiDependencies) =>
  router({
    list: reading.input(listInput).query(async ({ input: { search: idPrefix, ...query } }) => {
      const { items, nextCursor } = await workflows.list({ ...query, idPrefix });
      return { items: items.map(present), nextCursor };
    }),
  });

function present({ startedAt, closedAt, ...run }: WorkflowRun) {
  return { ...run, startedAt: startedAt.toISOString(), closedAt: closedAt?.toISOString() ?? null };
}
