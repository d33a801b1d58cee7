import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { ReportActivities, ReportLook } from '#activities/links/reports.ts';
import { stateKey } from '#core/temporal/search-attributes.ts';
import { detailsOf, isHistoryLong, reportPolicy } from './policies.ts';
import { linkReportSignal } from './starts.ts';

/** Which report, by its row. */
export interface LinkReportInput {
  reportId: string;
}

/** `open`: staff have to look at it; `acted`, `dismissed`: what they found; `gone`: the link was removed. */
export type LinkReportState = ReportLook['state'];

/** Reads how a report stands. */
export const linkReportStatusQuery = defineQuery<ReportLook>('status');

const wake = defineSignal(linkReportSignal);

// A look is about eight events of the history.
const maxHistoryLength = 500;
// A link that is removed wakes nobody: the report is looked at every day.
const lookEvery = '1 day';

/**
 * Follows the reports of one link from the first one until staff close them. The row is the truth; a signal asks to look at it
 * again: another visitor reported the link, or staff closed the report.
 */
export async function linkReport(input: LinkReportInput, before?: ReportLook): Promise<ReportLook> {
  let look: ReportLook = before ?? { state: 'open', reports: 0, reasons: {} };
  let isWoken = true;
  setHandler(linkReportStatusQuery, () => look, {
    description: 'How often the link was reported, why, and what staff found.',
  });
  setHandler(
    wake,
    () => {
      isWoken = true;
    },
    { description: 'Look at the report again.' },
  );
  const { readReport } = proxyActivities<ReportActivities>({ ...reportPolicy, summary: 'Read the report' });
  for (;;) {
    isWoken = false;
    look = await readReport(input);
    setCurrentDetails(describe(look));
    if (look.state !== 'open') break;
    if (isHistoryLong(maxHistoryLength)) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof linkReport>(input, look);
    }
    await condition(() => isWoken, lookEvery);
  }
  upsertSearchAttributes([{ key: stateKey, value: look.state }]);
  return look;
}

const texts: Record<LinkReportState, string> = {
  open: 'It waits for staff: `linkReports.get` shows what visitors wrote, `linkReports.close` ends it.',
  acted: 'Closed: staff acted on it.',
  dismissed: 'Closed: there was nothing to be done.',
  gone: 'Ended: the link was deleted.',
};

function describe({ state, reports, reasons }: ReportLook): string {
  const counts = Object.entries(reasons).map(([reason, count]) => `- ${reason}: ${count}`);
  return detailsOf([
    `**Report**: ${texts[state]}`,
    '',
    `Reported by ${reports === 1 ? 'one visitor' : `${reports} visitors`}.`,
    ...counts,
  ]);
}
