import type { output } from 'zod';
import type { activityPageSchema } from '#api/activity/schema.ts';
import type { processListSchema, processSchema, Running } from '#api/process/schema.ts';
import type { ActivityAction } from '#core/audit/activity.ts';
import { pagesQuery, readQuery } from './query.ts';

export type { Coming, Running } from '#api/process/schema.ts';
type ActivityPage = output<typeof activityPageSchema>;
/** What was changed, by whom and when. */
export type Activity = ActivityPage['data'][number];
/** What runs for a subject, and what comes next. */
type SubjectProcesses = output<typeof processSchema>;
/** What runs for the organization, and the next 30 days. */
type ProcessList = output<typeof processListSchema>;

export interface ActivityFilter {
  subject?: string;
  actions?: readonly ActivityAction[];
  since?: string;
  until?: string;
}

const perPage = 30;
const everyMs = 30_000;
const awaitedEveryMs = 2_000;
// Of the subject whose page is open.
const shownEveryMs = 5_000;
// Work with an end that people wait for.
const awaited = new Set<Running['kind']>(['import', 'importUndo', 'deletion', 'recovery']);

/** Whether a process has an end that people wait for. */
export function isAwaited({ kind }: Running): boolean {
  return awaited.has(kind);
}

/** Whether a subject's page is watched for what becomes of the process. */
function isWatched(one: Running): boolean {
  return isAwaited(one) || one.state === 'waiting' || (one.kind === 'domainCheck' && one.state !== 'verified');
}

/** Activities, most recent first, page after page. */
export function activityQuery(filter: ActivityFilter = {}) {
  const refetchInterval = filter.subject === undefined ? everyMs : shownEveryMs;
  return pagesQuery<ActivityPage>(['activity', filter], '/activity', { ...filter, limit: perPage }, refetchInterval);
}

/** The most recent changes between two moments: marks of a timeline. */
export function marksQuery(filter: ActivityFilter) {
  const query = { ...filter, limit: 50 };
  return readQuery<ActivityPage>(['activity', 'marks', filter], '/activity', { query, staleTime: everyMs });
}

/** What runs for a subject, and what comes next. */
export function processesQuery(subject: string) {
  return readQuery<SubjectProcesses>(['processes', subject], '/process', {
    query: { subject },
    refetchInterval: ({ state }) => (state.data?.now.some(isWatched) === true ? awaitedEveryMs : everyMs),
  });
}

/** What runs for the organization, and the next 30 days. */
export const processListQuery = readQuery<ProcessList>(['processes', 'list'], '/process/list', {
  refetchInterval: ({ state }) => (state.data?.running.some(isAwaited) === true ? awaitedEveryMs : everyMs),
});
