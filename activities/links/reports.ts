import type { ReportReason, ReportResolution } from '#core/links/report.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { LinkReport } from '#db/entities/links/link-records.ts';

/** How a report stands: how many visitors, and their reasons among those whose words are kept. Comments stay in the database. */
export interface ReportLook {
  state: 'open' | ReportResolution | 'gone';
  reports: number;
  reasons: Partial<Record<ReportReason, number>>;
}

export type ReportActivities = ReturnType<typeof createReportActivities>;

export function createReportActivities({ em }: { em: EntityManager }) {
  return {
    async readReport({ reportId }: { reportId: string }): Promise<ReportLook> {
      const report = await em.fork().findOne(LinkReport, { id: reportId });
      if (report === null) return { state: 'gone', reports: 0, reasons: {} };
      const reasons: ReportLook['reasons'] = {};
      for (const { reason } of report.notes) reasons[reason] = (reasons[reason] ?? 0) + 1;
      const state = report.closedAt === null ? 'open' : (report.resolution ?? 'dismissed');
      return { state, reports: report.reports, reasons };
    },
  };
}
