import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { ApiDependencies } from '#api/dependencies.ts';
import { apiKeyTools } from './procedures/api-keys.ts';
import { router } from './context.ts';
import { domainTools } from './procedures/domains.ts';
import { linkReportTools } from './procedures/link-reports.ts';
import { fileTools } from './procedures/files.ts';
import { linkTools } from './procedures/links.ts';
import { memberTools } from './procedures/members.ts';
import { organizationTools } from './procedures/organizations.ts';
import { peopleTools } from './procedures/people.ts';
import { auditTools, systemTools, workflowTools } from './procedures/system.ts';
import { webhookTools } from './procedures/webhooks.ts';

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

export type ToolsInputs = inferRouterInputs<ToolsRouter>;
export type ToolsOutputs = inferRouterOutputs<ToolsRouter>;

/** The type for clients: `createTRPCClient<ToolsRouter>`. */
export type ToolsRouter = ReturnType<typeof createToolsRouter>;
