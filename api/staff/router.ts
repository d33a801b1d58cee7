import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { ApiDependencies } from '#api/dependencies.ts';
import { apiKeyTools } from './api-keys.ts';
import { router } from './context.ts';
import { domainTools } from './domains.ts';
import { linkReportTools } from './link-reports.ts';
import { fileTools } from './files.ts';
import { linkTools } from './links.ts';
import { memberTools } from './members.ts';
import { organizationTools } from './organizations.ts';
import { peopleTools } from './people.ts';
import { auditTools, systemTools, workflowTools } from './system.ts';
import { webhookTools } from './webhooks.ts';

/** The tRPC router of the internal tools; each key is the first part of a procedure's name. */
export const createToolsRouter = (deps: ApiDependencies) =>
  router({
    organizations: organizationTools(deps),
    members: memberTools(deps),
    people: peopleTools(deps),
    apiKeys: apiKeyTools(),
    links: linkTools(deps),
    files: fileTools(deps),
    linkReports: linkReportTools(),
    domains: domainTools(deps),
    webhooks: webhookTools(deps),
    workflows: workflowTools(deps),
    system: systemTools(deps),
    audit: auditTools(),
  });

/** What procedures take, by router and name. */
export type ToolsInputs = inferRouterInputs<ToolsRouter>;
/** What procedures answer, by router and name. */
export type ToolsOutputs = inferRouterOutputs<ToolsRouter>;

/** The type for clients: `createTRPCClient<ToolsRouter>`. */
export type ToolsRouter = ReturnType<typeof createToolsRouter>;
