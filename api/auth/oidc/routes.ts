import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { openSession } from '#commands/accounts/sessions.ts';
import { recordSignIn } from '#commands/organizations/audit.ts';
import { openProvider, recognize } from '#commands/organizations/oidc.ts';
import { AppError } from '#core/errors/errors.ts';
import {
  emailDomainOf,
  type OidcClient,
  OidcFailure,
  type OidcProblem,
  type OidcProvider,
  safePath,
} from '#core/organizations/oidc.ts';
import { OrganizationSuspended } from '#core/organizations/suspension.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { User } from '#db/entities/accounts/people.ts';
import { isUniqueViolation } from '#db/connection/errors.ts';
import { findSpeakingProvider, type StoredProvider } from '#db/organizations/oidc.ts';
import type { Routes } from '#api/dependencies.ts';
import { createSessionCookie } from '#api/auth/cookie.ts';
import { createDeviceReader } from '#api/auth/device.ts';
import { errorResponses, errorSchema, idParamsSchema } from '#api/schemas.ts';
import { createFlowCookie } from './cookie.ts';
import { oidcCallbackQuerySchema, oidcOfferSchema, startedOidcSchema, startOidcSchema } from './schema.ts';

/** A provider with the client that asks it. */
interface Chosen {
  provider: OidcProvider;
  client: OidcClient;
  organization: StoredProvider | undefined;
}

/** A sign-in that has ended: by a session, or without one. */
type Finished = { token: string; next: string } | { problem: OidcProblem };

const callbackResponses = {
  302: { description: 'To the console.', content: { 'text/html': { schema: z.string() } } },
  ...errorResponses(400),
};

/**
 * The address at which a provider hands the browser back: to be registered there. Each provider has one of its own: an answer of one is
 * never taken for that of another (mix-up, RFC 9700 §4.4).
 * @param organizationId whose provider it is; null: the installation's.
 */
export function callbackOf(baseUrl: string, organizationId: string | null): string {
  const path = organizationId === null ? '' : `/${organizationId}`;
  return `${baseUrl.replace(/\/$/, '')}/auth/oidc/callback${path}`;
}

/** Sign-in by OpenID Connect: the provider of the installation, or of an organization for its verified domain (2.20). */
export const oidcRoutes: Routes = async (app, deps) => {
  const { baseUrl, clock, nameClient, oidc, sealing } = deps;
  const cookie = createSessionCookie(baseUrl);
  const readDevice = createDeviceReader(baseUrl);
  const flowCookie = createFlowCookie(baseUrl, sealing);

  app.get('/auth/oidc', {
    config: { access: 'sign-in' },
    schema: {
      operationId: 'getOidcOffer',
      summary: 'Read by which identity provider people may sign in',
      response: { 200: oidcOfferSchema, ...errorResponses(400) },
    },
    handler: async () => ({ name: oidc.installation?.name ?? null }),
  });

  app.post('/auth/oidc/start', {
    config: { access: 'sign-in' },
    schema: {
      operationId: 'startOidc',
      summary: 'Begin a sign-in by an identity provider',
      description:
        'Answers with the address at the identity provider to which the browser goes, and sets a cookie for ten minutes. Whether somebody has the e-mail is not told: its domain alone decides. OpenID Connect, authorization code with PKCE.',
      body: startOidcSchema,
      response: {
        200: startedOidcSchema,
        ...errorResponses(400),
        404: errorSchema.describe('No identity provider signs people of this domain in.'),
        503: errorSchema.describe('The identity provider does not answer.'),
      },
    },
    handler: async ({ body: { email, next }, em }, reply) => {
      const organization =
        email?.includes('@') === true ? await find(em, { emailDomain: emailDomainOf(email) }) : undefined;
      const chosen = organization ?? ofInstallation();
      if (chosen === undefined) {
        throw new AppError(
          'NOT_FOUND',
          'No identity provider signs people of this domain in: sign in by your password.',
        );
      }
      const organizationId = chosen.organization?.organizationId ?? null;
      const { issuer } = chosen.provider;
      const { url, ...flow } = await chosen.client
        .begin(chosen.provider, { redirectUri: callbackOf(baseUrl, organizationId), email })
        .catch((error: unknown) => {
          if (!(error instanceof OidcFailure)) throw error;
          app.log.warn({ issuer, reason: error.message }, 'an identity provider does not answer');
          throw new AppError(
            'SERVICE_UNAVAILABLE',
            'The identity provider does not answer: try again shortly, or sign in by your password.',
          );
        });
      const kept = { ...flow, issuer, organizationId, next: safePath(next) };
      void reply.header('set-cookie', flowCookie.set(kept, clock()));
      return { url };
    },
  });

  app.get('/auth/oidc/callback', {
    config: { access: 'sign-in from another site' },
    schema: {
      operationId: 'finishOidc',
      summary: 'End a sign-in by an identity provider',
      description:
        'The identity provider of the installation sends the browser here. Leads to the console, signed in, or to its sign-in page with the reason why not.',
      querystring: oidcCallbackQuerySchema,
      response: callbackResponses,
    },
    handler: async (request, reply) => lead(await finish(request, null), reply),
  });

  app.get('/auth/oidc/callback/:id', {
    config: { access: 'sign-in from another site' },
    schema: {
      operationId: 'finishOrganizationOidc',
      summary: "End a sign-in by an organization's identity provider",
      description:
        'The identity provider of the organization with this id sends the browser here. Leads to the console, signed in, or to its sign-in page with the reason why not.',
      params: idParamsSchema,
      querystring: oidcCallbackQuerySchema,
      response: callbackResponses,
    },
    handler: async (request, reply) => lead(await finish(request, request.params.id), reply),
  });

  function lead(result: Finished, reply: FastifyReply) {
    const cookies = [flowCookie.clear(), ...('token' in result ? [cookie.set(result.token)] : [])];
    const path = 'token' in result ? result.next : `/sign-in?problem=${result.problem}`;
    const location = `${baseUrl.replace(/\/$/, '')}/console${path}`;
    return reply.code(302).headers({ 'set-cookie': cookies, location }).type('text/html; charset=utf-8').send('');
  }

  function ofInstallation(): Chosen | undefined {
    const { installation, trusted } = oidc;
    return installation && { provider: installation.provider, client: trusted, organization: undefined };
  }

  async function find(em: EntityManager, by: Parameters<typeof findSpeakingProvider>[1]): Promise<Chosen | undefined> {
    const organization = await findSpeakingProvider(em, by);
    return organization && { provider: openProvider(organization, sealing), client: oidc.guarded, organization };
  }

  /** @param calledBack the organization whose callback was called; null: the installation's. */
  async function finish(
    request: Pick<FastifyRequest, 'em' | 'ip' | 'url' | 'headers'>,
    calledBack: string | null,
  ): Promise<Finished> {
    const { em, headers } = request;
    const flow = flowCookie.read(headers.cookie, clock());
    if (flow === undefined) return { problem: 'expired' };
    const { organizationId, next } = flow;
    const chosen = organizationId === null ? ofInstallation() : await find(em, { organizationId });
    if (chosen === undefined) return { problem: 'expired' };
    const { organization } = chosen;
    if (organizationId !== calledBack || chosen.provider.issuer !== flow.issuer) {
      app.log.warn({ issuer: flow.issuer, organizationId, calledBack }, 'another identity provider has answered');
      return { problem: 'provider-refused' };
    }
    const address = new URL(callbackOf(baseUrl, organizationId));
    address.search = new URL(request.url, baseUrl).search;
    let claims;
    try {
      claims = await chosen.client.finish(chosen.provider, address, flow);
    } catch (error) {
      if (!(error instanceof OidcFailure)) throw error;
      app.log.warn(
        { issuer: chosen.provider.issuer, reason: error.message },
        'a sign-in by an identity provider failed',
      );
      return { problem: error.reason === 'away' ? 'provider-away' : 'provider-refused' };
    }
    const client = nameClient(request.ip);
    const device = readDevice(headers);
    const replacedToken = cookie.read(headers.cookie);
    const enter = () =>
      em.transactional(async (em): Promise<Finished> => {
        const now = clock();
        const found = await recognize(em, claims, { organization, now });
        if ('problem' in found) return found;
        const { userId } = found;
        const credentials = await em.getRepository(User).findCredentials({ id: userId });
        if (credentials === undefined) return { problem: 'unknown-person' };
        try {
          const opened = await openSession(em, credentials, {
            replacedToken,
            device,
            byProviderOf: organization?.organizationId,
          });
          const line = { action: 'auth.oidc', userId, organizationId: opened.organizationId, client } as const;
          await recordSignIn(em, line, now);
          return { token: opened.token, next };
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== 'FORBIDDEN') throw error;
          await recordSignIn(em, { action: 'auth.loginRefused', userId, client }, now);
          return { problem: error instanceof OrganizationSuspended ? 'suspended' : 'no-organization' };
        }
      });
    // A new person in two windows: the other one has made the account meanwhile, and this one finds it.
    return enter().catch((error: unknown) => {
      if (isUniqueViolation(error, 'users_email_key')) return enter();
      throw error;
    });
  }
};
