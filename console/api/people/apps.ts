import type { ConnectedAppList } from '#api/auth/app-routes.ts';
import type { AppRequest } from '#api/oauth/consent-routes.ts';
import { call } from '#console/api/client.ts';
import { readQuery } from '#console/api/query.ts';

/** An app that acts for the person by MCP. */
export type ConnectedApp = ConnectedAppList['data'][number];

/** The apps that the person has connected, the last used first. */
export const appsQuery = readQuery<ConnectedAppList>(['account', 'apps'], '/auth/apps');

/** Ends an app of the person, with its tokens. */
export function disconnectApp(id: string): Promise<unknown> {
  return call('DELETE', '/auth/apps/{id}', { params: { id } });
}

/** What an app asks of the person. @throws ApiError NOT_FOUND for a request that is over, or of another browser. */
export function appRequestQuery(uid: string) {
  return readQuery<AppRequest>(['app-request', uid], '/oauth/interaction/{uid}/request', {
    params: { uid },
    enabled: uid !== '',
    staleTime: Infinity,
  });
}

/** Lets an app in, or refuses it. @param organizationId undefined: it is refused. @returns where the browser goes on. */
export function decideApp(uid: string, organizationId: string | undefined): Promise<{ returnTo: string }> {
  const params = { uid };
  return organizationId === undefined
    ? call('POST', '/oauth/interaction/{uid}/refuse', { params })
    : call('POST', '/oauth/interaction/{uid}/allow', { params, body: { organizationId } });
}
