import { condition, defineQuery, defineSignal, setCurrentDetails, setHandler } from '@temporalio/workflow';
import type { ReportActivities, ReportLook } from '#activities/links/reports.ts';
import { linkIdKey, processName } from '#core/temporal/search-attributes.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import {
  activitiesOf,
  describeStart,
  detailsOf,
  isHistoryLong,
  isVersionOld,
  moveOn,
  type Policy,
  showInLists,
} from './shared.ts';

interface LinkReportTarget {
  id: string;
  organizationId: string;
  linkId: string;
  domain: string;
  slug: string;
}

/** The workflow of reports of a link by visitors, from the first one until staff close them. */
export function startOfLinkReport({ id, organizationId, linkId, domain, slug }: LinkReportTarget): WorkflowStart {
  const name = processName([`${domain}/${slug}`]);
  const input: LinkReportInput = { reportId: id };
  return describeStart({
    type: 'linkReport',
    id: `link-report/${id}`,
    input,
    signal: wake.name,
    summary: `Report of the link ${name}`,
    organizationIds: [organizationId],
    name,
    attributes: [{ key: linkIdKey, value: [linkId] }],
    state: 'open' satisfies LinkReportState,
    nextStep: 'staff close it',
  });
}

interface LinkReportInput {
  reportId: string;
}

/** `open`: staff have to look at it; `acted`, `dismissed`: what they found; `gone`: the link was removed. */
type LinkReportState = ReportLook['state'];

export const linkReportStatusQuery = defineQuery<ReportLook>('status');

const wake = defineSignal('wake');

/** Reads one row. It is tried until the database answers: the process waits for staff anyway. */
const policy: Policy = {
  startToCloseTimeout: '15s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '5m' },
};

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
  setHandler(wake, () => void (isWoken = true), { description: 'Look at the report again.' });
  const { readReport } = activitiesOf<ReportActivities>(policy, 'Read the report');
  for (;;) {
    isWoken = false;
    look = await readReport(input);
    setCurrentDetails(describe(look));
    if (look.state !== 'open') break;
    if (isHistoryLong(maxHistoryLength) || isVersionOld()) await moveOn<typeof linkReport>(input, look);
    await condition(() => isWoken, lookEvery, { summary: 'Until the next look' });
  }
  showInLists({ state: look.state });
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
