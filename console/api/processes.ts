import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { output } from 'zod';
import type { activityPageSchema } from '#api/activity/schema.ts';
import type { processListSchema, processSchema, Running } from '#api/process/schema.ts';
import type { ActivityAction } from '#core/audit/activity.ts';
import { call } from './client.ts';

export type { Coming, Running } from '#api/process/schema.ts';
type ActivityPage = output<typeof activityPageSchema>;
/** What was changed, by whom and when. */
export type Activity = ActivityPage['data'][number];
/** What runs for a subject, and what comes next. */
type SubjectProcesses = output<typeof processSchema>;
/** What runs for the organization, and the next 30 days. */
type ProcessList = output<typeof processListSchema>;

/** Which activities are listed. */
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
  return infiniteQueryOptions({
    queryKey: ['activity', filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      call<ActivityPage>('GET', '/activity', {
        query: { ...filter, limit: perPage, ...(cursor !== undefined && { cursor }) },
        signal,
      }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: filter.subject === undefined ? everyMs : shownEveryMs,
  });
}

/** The most recent changes between two moments: marks of a timeline. */
export function marksQuery(filter: ActivityFilter) {
  return queryOptions({
    queryKey: ['activity', 'marks', filter],
    staleTime: everyMs,
    queryFn: ({ signal }) => call<ActivityPage>('GET', '/activity', { query: { ...filter, limit: 50 }, signal }),
  });
}

/** What runs for a subject, and what comes next. */
export function processesQuery(subject: string) {
  return queryOptions({
    queryKey: ['processes', subject],
    queryFn: ({ signal }) => call<SubjectProcesses>('GET', '/process', { query: { subject }, signal }),
    refetchInterval: ({ state }) => (state.data?.now.some(isWatched) === true ? awaitedEveryMs : everyMs),
  });
}

/** What runs for the organization, and the next 30 days. */
export const processListQuery = queryOptions({
  queryKey: ['processes', 'list'],
  queryFn: ({ signal }) => call<ProcessList>('GET', '/process/list', { signal }),
  refetchInterval: ({ state }) => (state.data?.running.some(isAwaited) === true ? awaitedEveryMs : everyMs),
});
