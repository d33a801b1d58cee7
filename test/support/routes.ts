import type { Action, Resource } from '#core/organizations/permissions.ts';

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
type Permission = `${Resource} ${Action}` | `${Resource} ${Action} ${Action}`;
/** Callers of a route: the public, signed-in users, any key or session, or those with a permission (2.5), all or either of several. */
type Access = 'anybody' | 'session' | 'any key' | Permission | `session ${Permission}` | `either ${Permission}`;

/** Every route of the API. */
const table: Record<`${Method} /${string}`, Access> = {
  'POST /short-link': 'shortLinks create',
  'GET /short-link/list': 'shortLinks read',
  'GET /short-link/{id}': 'shortLinks read',
  'PATCH /short-link/{id}': 'shortLinks update',
  'DELETE /short-link/{id}': 'shortLinks delete',
  'POST /short-link/bulk': 'shortLinks create',
  'PATCH /short-link/bulk': 'shortLinks update',
  'DELETE /short-link/bulk': 'shortLinks delete',
  'GET /short-link/{id}/qr-code': 'shortLinks read',
  'GET /short-link/{id}/history': 'shortLinks read',
  'POST /short-link/{id}/history/{changeId}/undo': 'shortLinks update',
  'POST /short-link/check': 'shortLinks create update',
  'POST /short-link/{id}/duplicate': 'shortLinks create read',
  'POST /short-link/{id}/move': 'shortLinks update',
  'POST /short-link/{id}/archive': 'shortLinks update',
  'POST /short-link/{id}/restore': 'shortLinks update',
  'GET /short-link/export': 'shortLinks read',
  'POST /short-link/import': 'shortLinks create',
  'GET /short-link/import/list': 'shortLinks read',
  'POST /short-link/import/{id}/cancel': 'shortLinks create',
  'POST /short-link/import/{id}/undo': 'shortLinks delete',
  'GET /short-link/import/{id}': 'shortLinks read',
  'GET /short-link/import/{id}/rows': 'shortLinks read',
  'GET /short-link/count': 'shortLinks read',
  'GET /short-link/counts': 'shortLinks read',
  'GET /short-link/lookup': 'shortLinks read',
  'PUT /short-link/upsert': 'shortLinks create update',
  'GET /stats/overview': 'stats read',
  'GET /stats/clicks-over-time': 'stats read',
  'GET /stats/report': 'stats read',
  'GET /stats/clicks': 'stats read',
  'GET /stats/export': 'stats read',
  'POST /domain': 'domains create',
  'GET /domain/list': 'domains read',
  'GET /domain/{id}': 'domains read',
  'PATCH /domain/{id}': 'domains update',
  'DELETE /domain/{id}': 'domains delete',
  'GET /domain/all': 'domains read',
  'POST /domain/{id}/dns-check': 'domains update',
  'GET /domain/{id}/dns': 'domains read',
  'GET /domain/{id}/qr-code-data': 'domains read',
  'POST /folder': 'shortLinks create',
  'GET /folder/list': 'shortLinks read',
  'GET /folder/{id}': 'shortLinks read',
  'PATCH /folder/{id}': 'shortLinks update',
  'DELETE /folder/{id}': 'shortLinks delete',
  'POST /tag': 'shortLinks create',
  'GET /tag/list': 'shortLinks read',
  'GET /tag/{id}': 'shortLinks read',
  'PATCH /tag/{id}': 'shortLinks update',
  'DELETE /tag/{id}': 'shortLinks delete',
  'POST /utm-template': 'shortLinks create',
  'GET /utm-template/list': 'shortLinks read',
  'GET /utm-template/{id}': 'shortLinks read',
  'PATCH /utm-template/{id}': 'shortLinks update',
  'DELETE /utm-template/{id}': 'shortLinks delete',
  'GET /link-preview': 'either shortLinks create update',
  'GET /link-preview/icon': 'shortLinks read',
  'GET /files/list': 'files read',
  'GET /files/{id}': 'files read',
  'DELETE /files/{id}': 'files delete',
  'GET /files/public/{urlKey}': 'anybody',
  'POST /files/meta-tag-image': 'files create',
  'POST /files/qr-code-image': 'files create',
  'GET /events': 'webhooks read',
  'POST /webhook': 'webhooks create',
  'GET /webhook/list': 'webhooks read',
  'GET /webhook/{id}': 'webhooks read',
  'PATCH /webhook/{id}': 'webhooks update',
  'DELETE /webhook/{id}': 'webhooks delete',
  'GET /webhook/{id}/deliveries': 'webhooks read',
  'GET /webhook/{id}/deliveries/{deliveryId}': 'webhooks read',
  'POST /webhook/{id}/deliveries/{deliveryId}/redeliver': 'webhooks update',
  'POST /webhook/{id}/test': 'webhooks update',
  'POST /webhook/{id}/recover': 'webhooks update',
  'GET /webhook/{id}/outlook': 'webhooks read',
  'POST /webhook/{id}/rotate-secret': 'webhooks update',
  'GET /activity': 'shortLinks read',
  'GET /process': 'shortLinks read',
  'GET /process/list': 'shortLinks read',
  'GET /organization': 'any key',
  'PATCH /organization': 'apiKeys update',
  'DELETE /organization': 'session apiKeys delete',
  'GET /organization/members': 'apiKeys read',
  'PATCH /organization/members/{id}': 'apiKeys update',
  'DELETE /organization/members/{id}': 'apiKeys delete',
  'GET /organization/oidc': 'apiKeys read',
  'PUT /organization/oidc': 'session apiKeys update',
  'DELETE /organization/oidc': 'session apiKeys update',
  'POST /organization/transfer': 'session apiKeys update',
  'GET /organization/deletion': 'anybody',
  'POST /organization/invitations': 'apiKeys create',
  'GET /organization/invitations': 'apiKeys read',
  'POST /organization/invitations/{id}/resend': 'apiKeys update',
  'DELETE /organization/invitations/{id}': 'apiKeys delete',
  'GET /organization/audit': 'apiKeys read',
  'GET /organization/audit/export': 'apiKeys read',
  'POST /api-key': 'apiKeys create',
  'GET /api-key/list': 'apiKeys read',
  'GET /api-key/{id}': 'apiKeys read',
  'PATCH /api-key/{id}': 'apiKeys update',
  'DELETE /api-key/{id}': 'apiKeys delete',
  'POST /api-key/{id}/rotate': 'apiKeys update',
  'GET /request-log': 'apiKeys read',
  'GET /request-log/{id}': 'apiKeys read',
  'GET /auth/sessions': 'session',
  'DELETE /auth/sessions': 'session',
  'DELETE /auth/sessions/{id}': 'session',
  'PATCH /auth/user': 'session',
  'POST /auth/organization/leave': 'session',
  'GET /auth/apps': 'session',
  'DELETE /auth/apps/{id}': 'session',
  'GET /auth/oidc': 'anybody',
  'POST /auth/oidc/start': 'anybody',
  'GET /auth/oidc/callback': 'anybody',
  'GET /auth/oidc/callback/{id}': 'anybody',
  'POST /auth/invitation': 'anybody',
  'POST /auth/invitation/accept': 'anybody',
  'POST /auth/invitation/join': 'session',
  'POST /auth/login/second-factor': 'anybody',
  'POST /auth/login/passkey-options': 'anybody',
  'POST /auth/login/passkey': 'anybody',
  'POST /auth/login': 'anybody',
  'POST /auth/logout': 'session',
  'GET /auth/session': 'session',
  'GET /auth/organizations': 'session',
  'POST /auth/organization': 'session',
  'POST /auth/password': 'session',
  'POST /auth/password/forgot': 'anybody',
  'POST /auth/password/reset': 'anybody',
  'GET /auth/second-factors': 'session',
  'POST /auth/second-factors/totp': 'session',
  'DELETE /auth/second-factors/totp': 'session',
  'POST /auth/second-factors/totp/confirm': 'session',
  'POST /auth/second-factors/passkeys/options': 'session',
  'POST /auth/second-factors/passkeys': 'session',
  'PATCH /auth/second-factors/passkeys/{id}': 'session',
  'DELETE /auth/second-factors/passkeys/{id}': 'session',
  'POST /auth/second-factors/recovery-codes': 'session',
  'POST /auth/confirm/passkey-options': 'session',
  'POST /auth/confirm': 'session',
  'GET /healthz': 'anybody',
  'GET /readyz': 'anybody',
  'GET /.well-known/security.txt': 'anybody',
};

/** A route and the callers that it admits. */
export interface Route {
  /** `POST /folder`. */
  name: string;
  method: Method;
  /** With `{id}` in it. */
  path: string;
  /** Callers: holders of a key or a session, signed-in users alone, or the public. */
  caller: 'key' | 'session' | 'anybody';
  /** With `actions` the permissions that it needs; undefined: none. */
  resource: Resource | undefined;
  actions: Action[];
  /** Whether one of `actions` is enough. */
  isEither: boolean;
}

/** A route that needs a permission. */
export type PermittedRoute = Route & { resource: Resource };

function readRow([name, access]: [string, Access]): Route {
  const [method, path] = name.split(' ') as [Method, string];
  const caller = access === 'anybody' ? access : access.startsWith('session') ? 'session' : 'key';
  const [resource = '', ...actions] = access.replace(/^(?:anybody|any key|session|either)\s?/, '').split(' ') as [
    Resource?,
    ...Action[],
  ];
  return {
    name,
    method,
    path,
    caller,
    resource: resource || undefined,
    actions,
    isEither: access.startsWith('either'),
  };
}

export const routes: readonly Route[] = Object.entries(table).map(readRow);

export const permittedRoutes = routes.filter((route): route is PermittedRoute => route.resource !== undefined);
