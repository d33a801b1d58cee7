// Long: the one list of all pages, with what each address may hold.

import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { apiBase } from '#console/api/client.ts';
import { sessionQuery } from '#console/api/session.ts';
import { BrokenPage, FrameFailed, NotFoundPage, SignedInPages } from '#console/app/pages.tsx';
import { countParameter, parseSearch, readSearch, stringifySearch, textParameter } from '#console/app/search.ts';
import { LinksPage } from '#console/links/list/page.tsx';
import { domainsParameters } from '#console/domains/search.ts';
import { linksParameters } from '#console/links/search.ts';
import { statsParameters } from '#console/stats/search.ts';
import { auditParameters } from '#console/settings/audit/search.ts';
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
} from '#console/staff/search.ts';
import { webhookParameters } from '#console/webhooks/search.ts';

interface Context {
  queries: QueryClient;
}

const signInParameters = { email: textParameter, next: textParameter, problem: textParameter };
const frameParameters = { new: textParameter };

const rootRoute = createRootRouteWithContext<Context>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: BrokenPage,
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (raw) => readSearch<{ email?: string; next?: string; problem?: string }>(signInParameters, raw),
  component: lazyRouteComponent(() => import('#console/app/sign-in/page.tsx'), 'SignInPage'),
});

const forgotRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot',
  validateSearch: (raw) => readSearch<{ email?: string }>({ email: textParameter }, raw),
  component: lazyRouteComponent(() => import('#console/app/sign-in/forgot-page.tsx'), 'ForgotPage'),
});

const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset',
  component: lazyRouteComponent(() => import('#console/app/sign-in/reset-page.tsx'), 'ResetPage'),
});

const joinRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/join',
  component: lazyRouteComponent(() => import('#console/app/sign-in/join-page.tsx'), 'JoinPage'),
});

const deletedRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/deleted',
  component: lazyRouteComponent(() => import('#console/app/sign-in/deleted-page.tsx'), 'DeletedPage'),
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

const linkRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/links/$id',
  component: lazyRouteComponent(() => import('#console/links/link/page.tsx'), 'LinkPage'),
});

const qrRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/links/$id/qr',
  component: lazyRouteComponent(() => import('#console/links/qr/page.tsx'), 'QrPage'),
});

const editRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/links/$id/edit',
  // `copy` edits a copy, which becomes a link of its own.
  validateSearch: (raw) => readSearch<{ copy?: string }>({ copy: textParameter }, raw),
  component: lazyRouteComponent(() => import('#console/links/editor/edit-page.tsx'), 'EditPage'),
});

const statsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/stats',
  validateSearch: (raw) => readSearch(statsParameters, raw),
  component: lazyRouteComponent(() => import('#console/stats/page.tsx'), 'StatsPage'),
});

const clicksRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/stats/clicks',
  validateSearch: (raw) => readSearch(statsParameters, raw),
  component: lazyRouteComponent(() => import('#console/stats/clicks-page.tsx'), 'ClicksPage'),
});

const liveRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/stats/live',
  validateSearch: (raw) => readSearch(statsParameters, raw),
  component: lazyRouteComponent(() => import('#console/stats/live-page.tsx'), 'LivePage'),
});

const linkStatsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/links/$id/stats',
  beforeLoad: ({ params: { id } }) => {
    throw redirect({ to: '/stats', search: { link: [id] }, replace: true });
  },
});

const importsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/imports',
  validateSearch: (raw) => readSearch(importsParameters, raw),
  component: lazyRouteComponent(() => import('#console/imports/list-page.tsx'), 'ImportsPage'),
});

const newImportRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/imports/new',
  validateSearch: (raw) => readSearch(newImportParameters, raw),
  component: lazyRouteComponent(() => import('#console/imports/new/page.tsx'), 'NewImportPage'),
});

const importRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/imports/$id',
  validateSearch: (raw) => readSearch(importParameters, raw),
  component: lazyRouteComponent(() => import('#console/imports/result/page.tsx'), 'ImportPage'),
});

const historyRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/links/$id/history',
  component: lazyRouteComponent(() => import('#console/processes/history-page.tsx'), 'LinkHistoryPage'),
});

const activityRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/activity',
  validateSearch: (raw) => readSearch(activityParameters, raw),
  component: lazyRouteComponent(() => import('#console/processes/page.tsx'), 'ActivityPage'),
});

const settingsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/settings',
  beforeLoad: () => {
    throw redirect({ to: '/settings/organization', replace: true });
  },
});

const organizationRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/settings/organization',
  component: lazyRouteComponent(() => import('#console/settings/organization-page.tsx'), 'OrganizationPage'),
});

const peopleRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/settings/people',
  validateSearch: (raw) => readSearch<{ page?: number }>({ page: countParameter }, raw),
  component: lazyRouteComponent(() => import('#console/settings/people-page.tsx'), 'PeoplePage'),
});

const keysRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/settings/keys',
  component: lazyRouteComponent(() => import('#console/settings/keys/page.tsx'), 'KeysPage'),
});

const auditRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/settings/audit',
  validateSearch: (raw) => readSearch(auditParameters, raw),
  component: lazyRouteComponent(() => import('#console/settings/audit/page.tsx'), 'AuditPage'),
});

const youRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/settings/you',
  component: lazyRouteComponent(() => import('#console/settings/you-page.tsx'), 'YouPage'),
});

const securityRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/settings/security',
  component: lazyRouteComponent(() => import('#console/settings/security/page.tsx'), 'SecurityPage'),
});

const devicesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/settings/devices',
  component: lazyRouteComponent(() => import('#console/settings/devices-page.tsx'), 'DevicesPage'),
});

const domainsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/domains',
  validateSearch: (raw) => readSearch(domainsParameters, raw),
  component: lazyRouteComponent(() => import('#console/domains/list-page.tsx'), 'DomainsPage'),
});

const domainRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/domains/$id',
  component: lazyRouteComponent(() => import('#console/domains/page.tsx'), 'DomainPage'),
});

const webhooksRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('#console/webhooks/list-page.tsx'), 'WebhooksPage'),
});

const webhookRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/webhooks/$id',
  validateSearch: (raw) => readSearch(webhookParameters, raw),
  component: lazyRouteComponent(() => import('#console/webhooks/one/page.tsx'), 'WebhookPage'),
});

const deliveryRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/webhooks/$id/deliveries/$deliveryId',
  component: lazyRouteComponent(() => import('#console/webhooks/delivery/page.tsx'), 'DeliveryPage'),
});

const foldersRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/folders',
  validateSearch: (raw) => readSearch(labelsParameters, raw),
  component: lazyRouteComponent(() => import('#console/organize/labels/page.tsx'), 'FoldersPage'),
});

const tagsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/tags',
  validateSearch: (raw) => readSearch(labelsParameters, raw),
  component: lazyRouteComponent(() => import('#console/organize/labels/page.tsx'), 'TagsPage'),
});

const filesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/files',
  validateSearch: (raw) => readSearch(filesParameters, raw),
  component: lazyRouteComponent(() => import('#console/organize/files/page.tsx'), 'FilesPage'),
});

const templatesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/utm-templates',
  validateSearch: (raw) => readSearch(labelsParameters, raw),
  component: lazyRouteComponent(() => import('#console/organize/templates/page.tsx'), 'TemplatesPage'),
});

const staffRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/staff',
  component: lazyRouteComponent(() => import('#console/staff/health-page.tsx'), 'HealthPage'),
});

const staffOrganizationsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/staff/organizations',
  validateSearch: (raw) => readSearch(staffListParameters, raw),
  component: lazyRouteComponent(() => import('#console/staff/organization/list-page.tsx'), 'OrganizationsPage'),
});

const staffOrganizationRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/staff/organizations/$id',
  validateSearch: (raw) => readSearch(organizationParameters, raw),
  component: lazyRouteComponent(() => import('#console/staff/organization/page.tsx'), 'StaffOrganizationPage'),
});

const staffPeopleRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/staff/people',
  validateSearch: (raw) => readSearch(staffPeopleParameters, raw),
  component: lazyRouteComponent(() => import('#console/staff/people-page.tsx'), 'StaffPeoplePage'),
});

const staffLinksRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/staff/links',
  validateSearch: (raw) => readSearch(staffListParameters, raw),
  component: lazyRouteComponent(() => import('#console/staff/lists-page.tsx'), 'StaffLinksPage'),
});

const staffFilesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/staff/files',
  validateSearch: (raw) => readSearch(staffListParameters, raw),
  component: lazyRouteComponent(() => import('#console/staff/lists-page.tsx'), 'StaffFilesPage'),
});

const staffDomainsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/staff/domains',
  validateSearch: (raw) => readSearch(staffListParameters, raw),
  component: lazyRouteComponent(() => import('#console/staff/lists-page.tsx'), 'StaffDomainsPage'),
});

const staffWebhooksRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/staff/webhooks',
  validateSearch: (raw) => readSearch(staffListParameters, raw),
  component: lazyRouteComponent(() => import('#console/staff/webhooks-page.tsx'), 'StaffWebhooksPage'),
});

const staffProcessesRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/staff/processes',
  validateSearch: (raw) => readSearch(processesParameters, raw),
  component: lazyRouteComponent(() => import('#console/staff/processes-page.tsx'), 'StaffProcessesPage'),
});

const staffReportsRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/staff/reports',
  validateSearch: (raw) => readSearch(reportsParameters, raw),
  component: lazyRouteComponent(() => import('#console/staff/reports-page.tsx'), 'StaffReportsPage'),
});

const staffAuditRoute = createRoute({
  getParentRoute: () => frameRoute,
  path: '/staff/audit',
  validateSearch: (raw) => readSearch(staffAuditParameters, raw),
  component: lazyRouteComponent(() => import('#console/staff/audit-page.tsx'), 'StaffAuditPage'),
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
        linkRoute,
        qrRoute,
        editRoute,
        linkStatsRoute,
        historyRoute,
        activityRoute,
        settingsRoute,
        auditRoute,
        organizationRoute,
        peopleRoute,
        keysRoute,
        youRoute,
        securityRoute,
        devicesRoute,
        statsRoute,
        clicksRoute,
        liveRoute,
        importsRoute,
        newImportRoute,
        importRoute,
        domainsRoute,
        domainRoute,
        webhooksRoute,
        webhookRoute,
        deliveryRoute,
        foldersRoute,
        tagsRoute,
        filesRoute,
        templatesRoute,
        staffRoute,
        staffOrganizationsRoute,
        staffOrganizationRoute,
        staffPeopleRoute,
        staffLinksRoute,
        staffFilesRoute,
        staffDomainsRoute,
        staffWebhooksRoute,
        staffProcessesRoute,
        staffReportsRoute,
        staffAuditRoute,
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
