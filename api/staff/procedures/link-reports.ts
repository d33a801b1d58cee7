import { z } from 'zod';
import { AppError } from '#core/errors/errors.ts';
import { idSchema } from '#core/links/draft.ts';
import { reportResolutions } from '#core/links/report.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { closeReport, listReports, type StaffReport } from '#db/reports/reports.ts';
import { operating, reading, router } from '#api/staff/context.ts';
import { idInput, listShape, readPage } from '#api/staff/inputs.ts';

const listInput = z
  .strictObject({ ...listShape, isOpen: z.boolean().optional().describe('Unset: open and closed ones.') })
  .prefault({});

export const linkReportTools = () =>
  router({
    /** The most recent first, without what visitors wrote. */
    list: reading.input(listInput).query(({ ctx, input: { isOpen, ...input } }) =>
      readPage(input, (query) => listReports(ctx.em, { ...query, isOpen }), {
        present: ({ notes: _notes, ...report }) => report,
        cursorOf: ({ id }) => id,
      }),
    ),

    /** A report with what visitors wrote. */
    get: reading.input(idInput).query(({ ctx, input: { id } }) => readReport(ctx.em, id)),

    /** Closes an open report; its workflow ends. To switch the link off, call `links.setActive`. */
    close: operating
      .input(z.strictObject({ id: idSchema, resolution: z.enum(reportResolutions) }))
      .mutation(({ ctx, input: { id, resolution } }) =>
        ctx.change(async (em, { now }) => {
          const isClosed = await closeReport(em, id, { resolution, userId: ctx.userId, now });
          const report = await readReport(em, id);
          if (!isClosed) throw new AppError('CONFLICT', 'This report is closed already.');
          const { organizationId, linkId } = report;
          return { answer: report, organizationId, subjectId: id, details: { linkId, resolution } };
        }),
      ),
  });

/** @throws AppError NOT_FOUND. */
async function readReport(em: EntityManager, id: string): Promise<StaffReport> {
  const [report] = await listReports(em, { id, limit: 1 });
  if (report === undefined) throw new AppError('NOT_FOUND', 'There is no such report.');
  return report;
}
