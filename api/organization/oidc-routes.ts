import { z } from 'zod';
import { readOnly, text } from '#core/lib/schemas.ts';
import { GuardedHttpError } from '#adapters/http/guarded-http.ts';
import { findProviderIssues, setProvider, unsetProvider } from '#commands/organizations/oidc.ts';
import { AppError, invalidFields } from '#core/errors/errors.ts';
import { findProvider, type StoredProvider } from '#db/organizations/oidc.ts';
import { callbackOf } from '#api/auth/oidc/routes.ts';
import type { Routes } from '#api/dependencies.ts';
import { deletedSchema, errorResponses, errorSchema, momentSchema } from '#api/schemas.ts';

const issuerSchema = z
  .url({ protocol: /^https?$/ })
  .max(2_000)
  .describe('The address of the issuer, whose `/.well-known/openid-configuration` describes it.')
  .meta({ example: 'https://login.example.com' });
const clientIdSchema = text({ min: 1, max: 200 })
  .describe('The id under which Waymark is registered at the provider.')
  .meta({ example: 'waymark' });
const emailDomainSchema = text({ min: 1, max: 253 })
  .overwrite((domain) => domain.trim().toLowerCase())
  .describe(
    'People whose e-mail is at this domain sign in by the provider. A domain that the organization has verified.',
  )
  .meta({ example: 'example.com' });

export const organizationOidcSchema = z
  .strictObject({
    issuer: issuerSchema.nullable(),
    clientId: clientIdSchema.nullable(),
    emailDomain: emailDomainSchema.nullable(),
    redirectUri: z
      .url()
      .describe('The address to register at the provider: that of this organization alone.')
      .meta({ example: 'https://api.example.com/auth/oidc/callback/01934f6a-7a1c-7b53-8d6e-2f1f6f3b9a10' }),
    createdAt: momentSchema.nullable().describe('When it was set first.'),
    updatedAt: momentSchema.nullable().describe('When it was changed last.'),
  })
  .meta({
    id: 'OidcProvider',
    description:
      'The identity provider by which people of the organization sign in. Where there is none, all but the address to register is null.',
  });

const putSchema = z
  .strictObject({
    issuer: issuerSchema,
    clientId: clientIdSchema,
    clientSecret: text({ min: 1, max: 1_000 })
      .nullable()
      .optional()
      .describe(
        'The secret of the client, shown to nobody later. Null or left out: the one before stays; another issuer needs its own.',
      )
      .meta({ 'x-secret': true }),
    emailDomain: emailDomainSchema,
    ...readOnly('redirectUri', 'createdAt', 'updatedAt'),
  })
  .meta({
    id: 'PutOidcProvider',
    description: 'The identity provider by which people of the organization sign in.',
    example: {
      issuer: 'https://login.example.com',
      clientId: 'waymark',
      clientSecret: 'from the provider',
      emailDomain: 'example.com',
    },
  });

const ofOwners = {
  access: { resource: 'apiKeys', action: 'update', bySession: true },
  confirmation: 'people with a second factor',
} as const;

/** How people of the caller's organization sign in. */
export const organizationOidcRoutes: Routes = async (app, deps) => {
  const { baseUrl, clock, oidc, sealing } = deps;
  const present = (organizationId: string, stored: StoredProvider | undefined) => ({
    issuer: stored?.issuer ?? null,
    clientId: stored?.clientId ?? null,
    emailDomain: stored?.emailDomain ?? null,
    redirectUri: callbackOf(baseUrl, organizationId),
    createdAt: stored?.createdAt.toISOString() ?? null,
    updatedAt: stored?.updatedAt.toISOString() ?? null,
  });

  app.get('/organization/oidc', {
    config: { access: { resource: 'apiKeys', action: 'read' } },
    schema: {
      operationId: 'getOidcProvider',
      summary: 'Read by which identity provider people sign in',
      description: 'Without the secret. Owners and admins may.',
      response: { 200: organizationOidcSchema, ...errorResponses(400) },
    },
    handler: async ({ actor: { organizationId }, em }) =>
      present(organizationId, await findProvider(em, organizationId)),
  });

  app.put('/organization/oidc', {
    config: ofOwners,
    schema: {
      operationId: 'setOidcProvider',
      summary: 'Set the identity provider by which people sign in',
      description:
        'OpenID Connect. The provider is asked once before it is stored. People whose e-mail is at the domain sign in by it: new ones get an account, and all become members. Passwords work on. An owner who is signed in may, never a key.',
      body: putSchema,
      response: {
        200: organizationOidcSchema,
        ...errorResponses(400),
        409: errorSchema.describe('Another organization signs people of this domain in.'),
      },
    },
    handler: async ({ actor, body, em }) => {
      const redirectUri = callbackOf(baseUrl, actor.organizationId);
      const { clientSecret, issuer, clientId, emailDomain } = body;
      const rest = { issuer, clientId, emailDomain };
      const draft = { ...rest, clientSecret: clientSecret ?? undefined };
      // Rights are checked before the issuer is asked: only an owner can make the server send a request.
      const issues = await em.transactional((em) => findProviderIssues(em, actor, draft));
      await oidc.guarded
        .begin({ ...rest, clientSecret: clientSecret ?? 'unknown' }, { redirectUri })
        .catch((error: Error) => {
          const reason = error.cause instanceof GuardedHttpError ? error.cause.message : error.message;
          issues.unshift({ path: 'issuer', message: `does not answer as an OpenID Connect provider: ${reason}` });
        });
      if (issues.length > 0) throw invalidFields(issues);
      const set = await em.transactional((em) => setProvider(em, actor, draft, { now: clock(), sealing }));
      return present(actor.organizationId, set);
    },
  });

  app.delete('/organization/oidc', {
    config: ofOwners,
    schema: {
      operationId: 'removeOidcProvider',
      summary: 'Remove the identity provider',
      description:
        'An owner who is signed in may. People sign in by their passwords again; one without a password asks for a new one by mail.',
      response: { 200: deletedSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ actor, em }) => {
      if (await em.transactional((em) => unsetProvider(em, actor, clock()))) return { rowCount: 1 };
      throw new AppError('NOT_FOUND', 'This organization has no identity provider.');
    },
  });
};
