// The one list of all pages, with what each address may hold.

import type { QueryClient } from '@tanstack/react-query';
import {
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
  countParameter,
  type Parameters,
  parseSearch,
  readSearch,
  stringifySearch,
  textParameter,
} from '#console/app/places/search.ts';
import { LinksPage } from '#console/links/list/page.tsx';
import { domainsParameters } from '#console/domains/search.ts';
import { linksParameters } from '#console/links/search.ts';
import { statsParameters } from '#console/stats/search.ts';
import { auditParameters } from '#console/settings/audit/search.ts';
import { callsParameters } from '#console/settings/calls/search.ts';
import { activityParameters } from '#console/processes/search.ts';
import { importParameters, importsParameters, newImportParameters } from '#console/imports/search.ts';
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

const signInParameters = { email: textParameter, next: textParameter, problem: textParameter };
const frameParameters = { new: textParameter };
// `copy` edits a copy, which becomes a link of its own.
const editParameters: Parameters<{ copy?: string }> = { copy: textParameter };
const connectParameters: Parameters<{ request?: string }> = { request: textParameter };
const peopleParameters: Parameters<{ page?: number }> = { page: countParameter };

const rootRoute = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: BrokenPage,
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (raw) => readSearch<{ email?: string; next?: string; problem?: string }>(signInParameters, raw),
  component: late(async () => (await import('#console/app/sign-in/page.tsx')).SignInPage),
});

const forgotRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot',
  validateSearch: (raw) => readSearch<{ email?: string }>({ email: textParameter }, raw),
  component: late(async () => (await import('#console/app/sign-in/reset/forgot-page.tsx')).ForgotPage),
});

const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset',
  component: late(async () => (await import('#console/app/sign-in/reset/reset-page.tsx')).ResetPage),
});

const joinRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/join',
  component: late(async () => (await import('#console/app/sign-in/join/join-page.tsx')).JoinPage),
});

const deletedRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/deleted',
  component: late(async () => (await import('#console/app/sign-in/deleted-page.tsx')).DeletedPage),
});

/** Pages of a signed-in person, inside the frame. */
const frameRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'frame',
  // `new` opens the editor over any page.
  validateSearch: (raw) => readSearch<{ new?: string }>(frameParameters, raw),
  beforeLoad: async ({ context, location }) => {
    const session = await context.queries.fetchQuery(sessionQuery);
    if (session === null) throw redirect({ to: '/sign-in', search: { next: location.href } });
  },
  component: SignedInPages,
  errorComponent: FrameFailed,
});

/** A page inside the frame, loaded when it is opened. @param name of its component in the file. */
function page<const Path extends string, Name extends string, Search extends object = object>(
  path: Path,
  load: () => Promise<Record<Name, RouteComponent>>,
  name: Name,
  parameters?: Parameters<Search>,
) {
  return createRoute({
    getParentRoute: () => frameRoute,
    path,
    validateSearch: (raw: Record<string, unknown>): Search =>
      readSearch<Search>(parameters ?? ({} as Parameters<Search>), raw),
    component: late(async () => (await load())[name]),
  });
}

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
      signInRoute,
      forgotRoute,
      resetRoute,
      joinRoute,
      deletedRoute,
      homeRoute,
      frameRoute.addChildren([
        linksRoute,
        page('/links/many', () => import('#console/links/many/page.tsx'), 'ManyLinksPage'),
        page('/links/$id', () => import('#console/links/link/page.tsx'), 'LinkPage'),
        page('/links/$id/qr', () => import('#console/links/qr/page.tsx'), 'QrPage'),
        page('/links/$id/edit', () => import('#console/links/editor/edit-page.tsx'), 'EditPage', editParameters),
        linkStatsRoute,
        page('/links/$id/history', () => import('#console/processes/history-page.tsx'), 'LinkHistoryPage'),
        page('/activity', () => import('#console/processes/page.tsx'), 'ActivityPage', activityParameters),
        settingsRoute,
        page('/settings/audit', () => import('#console/settings/audit/page.tsx'), 'AuditPage', auditParameters),
        page('/settings/calls', () => import('#console/settings/calls/page.tsx'), 'CallsPage', callsParameters),
        page('/settings/organization', () => import('#console/settings/organization-page.tsx'), 'OrganizationPage'),
        page(
          '/settings/people',
          () => import('#console/settings/people/people-page.tsx'),
          'PeoplePage',
          peopleParameters,
        ),
        page('/settings/keys', () => import('#console/settings/keys/page.tsx'), 'KeysPage'),
        page('/settings/you', () => import('#console/settings/you-page.tsx'), 'YouPage'),
        page('/settings/security', () => import('#console/settings/security/page.tsx'), 'SecurityPage'),
        page('/settings/devices', () => import('#console/settings/devices-page.tsx'), 'DevicesPage'),
        page('/settings/apps', () => import('#console/settings/apps/page.tsx'), 'AppsPage'),
        page('/connect', () => import('#console/settings/apps/connect-page.tsx'), 'ConnectPage', connectParameters),
        page('/stats', () => import('#console/stats/page.tsx'), 'StatsPage', statsParameters),
        page('/stats/clicks', () => import('#console/stats/clicks/clicks-page.tsx'), 'ClicksPage', statsParameters),
        page('/stats/live', () => import('#console/stats/clicks/live-page.tsx'), 'LivePage', statsParameters),
        page('/imports', () => import('#console/imports/list-page.tsx'), 'ImportsPage', importsParameters),
        page('/imports/new', () => import('#console/imports/new/page.tsx'), 'NewImportPage', newImportParameters),
        page('/imports/$id', () => import('#console/imports/result/page.tsx'), 'ImportPage', importParameters),
        page('/domains', () => import('#console/domains/list-page.tsx'), 'DomainsPage', domainsParameters),
        page('/domains/$id', () => import('#console/domains/page.tsx'), 'DomainPage'),
        page('/webhooks', () => import('#console/webhooks/list-page.tsx'), 'WebhooksPage'),
        page('/webhooks/$id', () => import('#console/webhooks/one/page.tsx'), 'WebhookPage', webhookParameters),
        page(
          '/webhooks/$id/deliveries/$deliveryId',
          () => import('#console/webhooks/delivery/page.tsx'),
          'DeliveryPage',
        ),
        page('/folders', () => import('#console/organize/labels/page.tsx'), 'FoldersPage', labelsParameters),
        page('/tags', () => import('#console/organize/labels/page.tsx'), 'TagsPage', labelsParameters),
        page('/files', () => import('#console/organize/files/page.tsx'), 'FilesPage', filesParameters),
        page('/qr-codes', () => import('#console/links/qr/list-page.tsx'), 'QrCodesPage', labelsParameters),
        page('/utm-templates', () => import('#console/organize/templates/page.tsx'), 'TemplatesPage', labelsParameters),
        page('/staff', () => import('#console/staff/pages/health-page.tsx'), 'HealthPage'),
        page(
          '/staff/organizations',
          () => import('#console/staff/organization/list-page.tsx'),
          'OrganizationsPage',
          staffListParameters,
        ),
        page(
          '/staff/organizations/$id',
          () => import('#console/staff/organization/page.tsx'),
          'StaffOrganizationPage',
          organizationParameters,
        ),
        page(
          '/staff/people',
          () => import('#console/staff/pages/people-page.tsx'),
          'StaffPeoplePage',
          staffPeopleParameters,
        ),
        page(
          '/staff/links',
          () => import('#console/staff/pages/lists-page.tsx'),
          'StaffLinksPage',
          staffListParameters,
        ),
        page(
          '/staff/files',
          () => import('#console/staff/pages/lists-page.tsx'),
          'StaffFilesPage',
          staffListParameters,
        ),
        page(
          '/staff/domains',
          () => import('#console/staff/pages/lists-page.tsx'),
          'StaffDomainsPage',
          staffListParameters,
        ),
        page(
          '/staff/webhooks',
          () => import('#console/staff/pages/lists-page.tsx'),
          'StaffWebhooksPage',
          staffWebhooksParameters,
        ),
        page(
          '/staff/processes',
          () => import('#console/staff/pages/processes-page.tsx'),
          'StaffProcessesPage',
          processesParameters,
        ),
        page(
          '/staff/reports',
          () => import('#console/staff/pages/reports-page.tsx'),
          'StaffReportsPage',
          reportsParameters,
        ),
        page(
          '/staff/audit',
          () => import('#console/staff/pages/audit-page.tsx'),
          'StaffAuditPage',
          staffAuditParameters,
        ),
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
