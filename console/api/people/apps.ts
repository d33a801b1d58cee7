import { queryOptions } from '@tanstack/react-query';
import type { ConnectedAppList } from '#api/auth/app-routes.ts';
import type { AppRequest } from '#api/oauth/consent-routes.ts';
import { call } from '#console/api/client.ts';

/** An app that acts for the person by MCP. */
export type ConnectedApp = ConnectedAppList['data'][number];

/** The apps that the person has connected, the last used first. */
export const appsQuery = queryOptions({
  queryKey: ['account', 'apps'],
  queryFn: ({ signal }) => call<ConnectedAppList>('GET', '/auth/apps', { signal }),
});

/** Ends an app of the person, with its tokens. */
export function disconnectApp(id: string): Promise<unknown> {
  return call('DELETE', '/auth/apps/{id}', { params: { id } });
}

/** What an app asks of the person. @throws ApiError NOT_FOUND for a request that is over, or of another browser. */
export const appRequestQuery = (uid: string) =>
  queryOptions({
    queryKey: ['app-request', uid],
    queryFn: ({ signal }) => call<AppRequest>('GET', '/oauth/interaction/{uid}/request', { params: { uid }, signal }),
    staleTime: Infinity,
  });

/** Lets an app in, or refuses it. @param organizationId undefined: it is refused. @returns where the browser goes on. */
export function decideApp(uid: string, organizationId: string | undefined): Promise<{ returnTo: string }> {
  const params = { uid };
  return organizationId === undefined
    ? call('POST', '/oauth/interaction/{uid}/refuse', { params })
    : call('POST', '/oauth/interaction/{uid}/allow', { params, body: { organizationId } });
}
