// The one list of all pages, with what each address may hold.

import type { QueryClient } from '@tanstack/react-query';
import {
  type AnyRoute,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  Outlet,
  redirect,
  type RouteComponent,
} from '@tanstack/react-router';
import { apiBase } from '#console/api/client.ts';
import { sessionQuery } from '#console/api/people/session.ts';
import { BrokenPage, FrameFailed, NotFoundPage, SignedInPages } from '#console/app/places/pages.tsx';
import {
  pageParameters,
  parseSearch,
  readSearch,
  type SearchOf,
  stringifySearch,
  textParameter,
} from '#console/app/places/search.ts';
import { LinksPage } from '#console/links/list/page.tsx';
import { linksParameters } from '#console/links/search.ts';
import { statsParameters } from '#console/stats/search.ts';
import { auditParameters } from '#console/settings/audit/search.ts';
import { callsParameters } from '#console/settings/calls/search.ts';
import { activityParameters } from '#console/processes/search.ts';
import { importParameters, newImportParameters } from '#console/imports/search.ts';
import { filesParameters, labelsParameters } from '#console/organize/search.ts';
import {
  organizationParameters,
  processesParameters,
  reportsParameters,
  staffAuditParameters,
  staffListParameters,
  staffPeopleParameters,
  staffWebhooksParameters,
} from '#console/staff/search.ts';
import { late } from '#console/ui/page/late.tsx';
import { webhookParameters } from '#console/webhooks/search.ts';

interface Context {
  queries: QueryClient;
}

const rootRoute = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: BrokenPage,
});

/** Pages of a signed-in person, inside the frame. */
const frameRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'frame',
  // `new` opens the editor over any page.
  validateSearch: (raw) => readSearch({ new: textParameter }, raw),
  beforeLoad: async ({ context, location }) => {
    const session = await context.queries.fetchQuery(sessionQuery);
    if (session === null) throw redirect({ to: '/sign-in', search: { next: location.href } });
  },
  component: SignedInPages,
  errorComponent: FrameFailed,
});

/** Makes pages under a route, each loaded when it is opened: the default export of its file. */
function pagesUnder<Parent extends AnyRoute>(getParentRoute: () => Parent) {
  return <const Path extends string, P extends object = object>(
    path: Path,
    load: () => Promise<{ default: RouteComponent }>,
    parameters?: P,
  ) =>
    createRoute({
      getParentRoute,
      path,
      validateSearch: (raw: Record<string, unknown>): SearchOf<P> => readSearch(parameters ?? ({} as P), raw),
      staticData: parameters === undefined ? {} : { parameters },
      component: late(async () => (await load()).default),
    });
}

const card = pagesUnder(() => rootRoute);
const page = pagesUnder(() => frameRoute);

const labels = (name: 'FoldersPage' | 'TagsPage') => async () => ({
  default: (await import('#console/organize/labels/page.tsx'))[name],
});
const staffList =
  (name: 'StaffLinksPage' | 'StaffFilesPage' | 'StaffDomainsPage' | 'StaffWebhooksPage') => async () => ({
    default: (await import('#console/staff/pages/lists-page.tsx'))[name],
  });

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/links', replace: true });
  },
});

const linksRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/links',
  validateSearch: (raw) => readSearch(linksParameters, raw),
  staticData: { parameters: linksParameters },
  component: LinksPage,
});

const linkStatsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/links/$id/stats',
  beforeLoad: ({ params: { id } }) => {
    throw redirect({ to: '/stats', search: { link: [id] }, replace: true });
  },
});

const settingsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/settings',
  beforeLoad: () => {
    throw redirect({ to: '/settings/organization', replace: true });
  },
});

/** @param queries the cache of what the API answered. */
export function createConsoleRouter(queries: QueryClient) {
  return createRouter({
    routeTree: rootRoute.addChildren([
      card('/sign-in', () => import('#console/app/sign-in/page.tsx'), {
        email: textParameter,
        next: textParameter,
        problem: textParameter,
      }),
      card('/forgot', () => import('#console/app/sign-in/reset/forgot-page.tsx'), { email: textParameter }),
      card('/reset', () => import('#console/app/sign-in/reset/reset-page.tsx')),
      card('/join', () => import('#console/app/sign-in/join/join-page.tsx')),
      card('/deleted', () => import('#console/app/sign-in/deleted-page.tsx')),
      homeRoute,
      frameRoute.addChildren([
        linksRoute,
        page('/links/many', () => import('#console/links/many/page.tsx')),
        page('/links/$id', () => import('#console/links/link/page.tsx')),
        page('/links/$id/qr', () => import('#console/links/qr/page.tsx')),
        // `copy` edits a copy, which becomes a link of its own.
        page('/links/$id/edit', () => import('#console/links/editor/edit-page.tsx'), { copy: textParameter }),
        linkStatsRoute,
        page('/links/$id/history', () => import('#console/processes/history-page.tsx')),
        page('/activity', () => import('#console/processes/page.tsx'), activityParameters),
        settingsRoute,
        page('/settings/audit', () => import('#console/settings/audit/page.tsx'), auditParameters),
        page('/settings/calls', () => import('#console/settings/calls/page.tsx'), callsParameters),
        page('/settings/organization', () => import('#console/settings/organization-page.tsx')),
        page('/settings/people', () => import('#console/settings/people/people-page.tsx'), pageParameters),
        page('/settings/keys', () => import('#console/settings/keys/page.tsx')),
        page('/settings/you', () => import('#console/settings/you-page.tsx')),
        page('/settings/security', () => import('#console/settings/security/page.tsx')),
        page('/settings/devices', () => import('#console/settings/devices-page.tsx')),
        page('/settings/apps', () => import('#console/settings/apps/page.tsx')),
        page('/connect', () => import('#console/settings/apps/connect-page.tsx'), { request: textParameter }),
        page('/stats', () => import('#console/stats/page.tsx'), statsParameters),
        page('/stats/clicks', () => import('#console/stats/clicks/clicks-page.tsx'), statsParameters),
        page('/stats/live', () => import('#console/stats/clicks/live-page.tsx'), statsParameters),
        page('/imports', () => import('#console/imports/list-page.tsx'), pageParameters),
        page('/imports/new', () => import('#console/imports/new/page.tsx'), newImportParameters),
        page('/imports/$id', () => import('#console/imports/result/page.tsx'), importParameters),
        page('/domains', () => import('#console/domains/list-page.tsx'), pageParameters),
        page('/domains/$id', () => import('#console/domains/page.tsx')),
        page('/webhooks', () => import('#console/webhooks/list-page.tsx')),
        page('/webhooks/$id', () => import('#console/webhooks/one/page.tsx'), webhookParameters),
        page('/webhooks/$id/deliveries/$deliveryId', () => import('#console/webhooks/delivery/page.tsx')),
        page('/folders', labels('FoldersPage'), labelsParameters),
        page('/tags', labels('TagsPage'), labelsParameters),
        page('/files', () => import('#console/organize/files/page.tsx'), filesParameters),
        page('/qr-codes', () => import('#console/links/qr/list-page.tsx'), labelsParameters),
        page('/utm-templates', () => import('#console/organize/templates/page.tsx'), labelsParameters),
        page('/staff', () => import('#console/staff/pages/health-page.tsx')),
        page('/staff/organizations', () => import('#console/staff/organization/list-page.tsx'), staffListParameters),
        page('/staff/organizations/$id', () => import('#console/staff/organization/page.tsx'), organizationParameters),
        page('/staff/people', () => import('#console/staff/pages/people-page.tsx'), staffPeopleParameters),
        page('/staff/links', staffList('StaffLinksPage'), staffListParameters),
        page('/staff/files', staffList('StaffFilesPage'), staffListParameters),
        page('/staff/domains', staffList('StaffDomainsPage'), staffListParameters),
        page('/staff/webhooks', staffList('StaffWebhooksPage'), staffWebhooksParameters),
        page('/staff/processes', () => import('#console/staff/pages/processes-page.tsx'), processesParameters),
        page('/staff/reports', () => import('#console/staff/pages/reports-page.tsx'), reportsParameters),
        page('/staff/audit', () => import('#console/staff/pages/audit-page.tsx'), staffAuditParameters),
      ]),
    ]),
    basepath: `${new URL(apiBase()).pathname.replace(/\/$/, '')}/console`,
    context: { queries },
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultPreloadDelay: 60,
    scrollRestoration: true,
    // Old pages stay until the next one is there.
    defaultPendingMs: 150,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
