import type { output } from 'zod';
import type { loggedCallWithBodiesSchema, requestLogPageSchema } from '#api/request-log/schema.ts';
import { isMissing } from './error.ts';
import { pagesQuery, readQuery } from './query.ts';

type CallsPage = output<typeof requestLogPageSchema>;
export type LoggedCall = CallsPage['data'][number];
export type LoggedCallWithBodies = output<typeof loggedCallWithBodiesSchema>;

interface CallsFilter {
  status?: string | undefined;
  by?: 'key' | 'member' | undefined;
  keyId?: string | undefined;
  userId?: string | undefined;
  search?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

const perPage = 50;
// A call is written within about two seconds.
const lateTries = 3;
const lateMs = 1_000;

/** Calls of the API, most recent first, page after page. */
export function callsQuery(filter: CallsFilter) {
  return pagesQuery<CallsPage>(['calls', filter], '/request-log', { ...filter, limit: perPage });
}

/** A call by its request id; one that has just been made is waited for. */
export function callQuery(id: string) {
  const retry = (failures: number, error: unknown): boolean => isMissing(error) && failures < lateTries;
  return readQuery<LoggedCallWithBodies>(['call', id], '/request-log/{id}', {
    params: { id },
    retry,
    retryDelay: lateMs,
  });
}
