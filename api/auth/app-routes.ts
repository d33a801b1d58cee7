import { z } from 'zod';
import { disconnectApp } from '#commands/accounts/connected-apps.ts';
import { ConnectedApp } from '#db/entities/accounts/connected-apps.ts';
import { deletedSchema, errorResponses, idParamsSchema, momentSchema } from '#api/schemas.ts';
import type { Routes } from '#api/dependencies.ts';
import { present } from '#api/present.ts';

const connectedAppSchema = z
  .strictObject({
    id: z.guid(),
    name: z.string().describe('What the app calls itself.').meta({ example: 'Claude Desktop' }),
    redirectHost: z.string().describe('Where the person was led back to.').meta({ example: 'claude.ai' }),
    organization: z.strictObject({ id: z.guid(), name: z.string() }).describe('In which it acts for the person.'),
    createdAt: momentSchema.describe('When it was connected, UTC.'),
    lastUsedAt: momentSchema.describe('When it last got an access token, which lasts ten minutes.'),
    expiresAt: momentSchema.describe('When it must be connected again.'),
  })
  .meta({ id: 'ConnectedApp', description: 'An app that acts for the person by MCP.' });

const connectedAppListSchema = z
  .strictObject({ data: z.array(connectedAppSchema).describe('The last used first.') })
  .meta({ id: 'ConnectedAppList', description: 'The apps that the user has let act for them.' });
export type ConnectedAppList = z.output<typeof connectedAppListSchema>;

/** The apps that a person has connected by MCP (1.13). */
export const appRoutes: Routes = async (app, { clock }) => {
  app.get('/auth/apps', {
    config: { access: 'any session' },
    schema: {
      operationId: 'listConnectedApps',
      summary: 'List the connected apps of the user',
      description:
        "Apps that the user has let act for them by MCP, the last used first; for a session by an organization's identity provider those in its organization.",
      response: { 200: connectedAppListSchema, ...errorResponses(400) },
    },
    handler: async ({ em, session }) => {
      const { userId } = session!;
      const apps = await em.getRepository(ConnectedApp).listOf(userId, clock(), boundTo(session!));
      return {
        data: apps.map((connected) => {
          const { id, name } = connected.organization;
          return present(connectedAppSchema, connected, { organization: { id, name } });
        }),
      };
    },
  });

  app.delete('/auth/apps/:id', {
    config: { access: 'any session' },
    schema: {
      operationId: 'disconnectApp',
      summary: 'Disconnect an app of the user',
      description: 'Its tokens end with this call.',
      params: idParamsSchema,
      response: { 200: deletedSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ em, session, params: { id } }) => {
      const own = { id, userId: session!.userId, organizationId: boundTo(session!) };
      await em.transactional((em) => disconnectApp(em, own, clock()));
      return { rowCount: 1 };
    },
  });
};

/** The organization to which a session by a provider is bound. */
function boundTo({ isByProvider, organizationId }: { isByProvider: boolean; organizationId: string }) {
  return isByProvider ? organizationId : undefined;
}
