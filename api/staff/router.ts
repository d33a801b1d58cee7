import type { ApiDependencies } from '#api/dependencies.ts';
import { apiKeyTools } from './api-keys.ts';
import { auditTools } from './audit.ts';
import { router } from './context.ts';
import { domainTools } from './domains.ts';
import { linkTools } from './links.ts';
import { memberTools } from './members.ts';
import { organizationTools } from './organizations.ts';
import { systemTools } from './system.ts';
import { webhookTools } from './webhooks.ts';
import { workflowTools } from './workflows.ts';

/** Makes the router of the internal tools (10.4). */
export const createToolsRouter = (deps: ApiDependencies) =>
  router({
    organizations: organizationTools(deps),
    members: memberTools(deps),
    apiKeys: apiKeyTools(deps),
    links: linkTools(deps),
    domains: domainTools(deps),
    webhooks: webhookTools(deps),
    workflows: workflowTools(deps),
    system: systemTools(deps),
    audit: auditTools(deps),
  });

/** What a typed client of the internal tools is made from: `createTRPCClient<ToolsRouter>`. */
export type ToolsRouter = ReturnType<typeof createToolsRouter>;
