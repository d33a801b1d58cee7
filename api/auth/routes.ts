import type { FastifyReply } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { recordSignIn, type SignInAction } from '#commands/organizations/audit.ts';
import { hashPasswordOf, setPassword } from '#commands/organizations/people.ts';
import { changeOrganization, openSession } from '#commands/organizations/sessions.ts';
import { AppError, invalid } from '#core/errors/errors.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Session } from '#db/entities/people.ts';
import { errorResponses, errorSchema } from '#api/schemas.ts';
import type { RouteDependencies } from '#api/shares.ts';
import { deletedSchema } from '#api/short-link/schema.ts';
import { createSessionCookie } from './cookie.ts';
import { createPasswordCheck, type PasswordAttempt, type PasswordVerdict } from './password-check.ts';
import {
  changeOrganizationSchema,
  changePasswordSchema,
  loginSchema,
  presentSession,
  sessionSchema,
} from './schema.ts';

const tags = ['Sessions'];
const bySession = [{ session: [] }];

/** Sign-in and sessions for web applications: a cookie instead of a key (2.2, 2.8). */
export const authRoutes: FastifyPluginAsyncZod<RouteDependencies> = async (app, deps) => {
  const { baseUrl, clock, nameClient, shares } = deps;
  const cookie = createSessionCookie(baseUrl);
  const checkPassword = createPasswordCheck({ ...deps, gate: shares.hashing });

  app.addHook('onRequest', async (_request, reply) => {
    void reply.header('cache-control', 'no-store');
  });

  /** Writes the outcome of an attempt to the audit log. */
  async function record(
    em: EntityManager,
    action: SignInAction,
    { address }: PasswordAttempt,
    userId: string | null,
    organizationId?: string,
  ): Promise<void> {
    await recordSignIn(em, { action, userId, organizationId, client: nameClient(address) }, { now: clock() });
  }

  /** @throws AppError RATE_LIMIT_EXCEEDED after too many failures. */
  async function check(
    em: EntityManager,
    purpose: 'login' | 'password',
    attempt: PasswordAttempt,
    reply: FastifyReply,
  ): Promise<Exclude<PasswordVerdict, { kind: 'throttled' }>> {
    const verdict = await checkPassword(attempt);
    if (verdict.kind === 'wrong') await record(em, `auth.${purpose}Failed`, attempt, verdict.userId);
    if (verdict.kind !== 'throttled') return verdict;
    const { retryAfterSeconds, userId } = verdict;
    await record(em, `auth.${purpose}Throttled`, attempt, userId);
    void reply.header('retry-after', retryAfterSeconds);
    throw new AppError('RATE_LIMIT_EXCEEDED', `Too many failed attempts; try again in ${retryAfterSeconds} s.`);
  }

  async function view(em: EntityManager, sessionId: string) {
    const session = await em.getRepository(Session).view(sessionId);
    // The session ended while this call ran.
    if (session === undefined) throw new AppError('UNAUTHORIZED', 'You are not signed in.');
    return presentSession(session);
  }

  app.post(
    '/auth/login',
    {
      config: { access: 'sign-in' },
      schema: {
        tags,
        operationId: 'signIn',
        summary: 'Sign in',
        description:
          'Begins a session, in a cookie, in the first organization that the user joined. A session ends 30 days after its last use. Calls that change something must have the Origin of the API itself.',
        security: [],
        body: loginSchema,
        response: {
          200: sessionSchema,
          ...errorResponses(400),
          401: errorSchema.describe('E-mail or password is wrong.'),
        },
      },
    },
    async (request, reply) => {
      const attempt = { ...request.body, address: request.ip };
      const verdict = await check(request.em, 'login', attempt, reply);
      if (verdict.kind === 'wrong') throw new AppError('UNAUTHORIZED', 'E-mail or password is wrong.');
      const replacedToken = cookie.read(request.headers.cookie);
      const userId = verdict.credentials.id;
      const opening = request.em.transactional(async (em) => {
        const opened = await openSession(em, verdict.credentials, { replacedToken });
        await record(em, 'auth.login', attempt, userId, opened.organizationId);
        return opened;
      });
      const { id, token } = await opening.catch(async (error: unknown) => {
        if (error instanceof AppError) await record(request.em, 'auth.loginRefused', attempt, userId);
        throw error;
      });
      void reply.header('set-cookie', cookie.set(token));
      return view(request.em, id);
    },
  );

  app.post(
    '/auth/logout',
    {
      config: { access: 'any session' },
      schema: {
        tags,
        operationId: 'signOut',
        summary: 'Sign out',
        description: 'Ends the session and removes its cookie.',
        security: bySession,
        response: { 200: deletedSchema, ...errorResponses(400) },
      },
    },
    async ({ em, session }, reply) => {
      await em.nativeDelete(Session, { id: session!.id });
      void reply.header('set-cookie', cookie.clear());
      return { rowCount: 1 };
    },
  );

  app.get(
    '/auth/session',
    {
      config: { access: 'session' },
      schema: {
        tags,
        operationId: 'getSession',
        summary: 'Read the session: its user and organization',
        security: bySession,
        response: { 200: sessionSchema, ...errorResponses(400) },
      },
    },
    ({ em, session }) => view(em, session!.id),
  );

  app.post(
    '/auth/organization',
    {
      config: { access: 'any session' },
      schema: {
        tags,
        operationId: 'switchOrganization',
        summary: 'Switch to another organization of the user',
        security: bySession,
        body: changeOrganizationSchema,
        response: { 200: sessionSchema, ...errorResponses(400, 404) },
      },
    },
    async ({ em, session, body }) => {
      await em.transactional((em) => changeOrganization(em, session!, body.id));
      return view(em, session!.id);
    },
  );

  app.post(
    '/auth/password',
    {
      config: { access: 'session' },
      schema: {
        tags,
        operationId: 'changePassword',
        summary: 'Change the password',
        description:
          "Ends the user's other sessions. Failures count together with failed sign-ins. A password that attackers try first is refused.",
        security: bySession,
        body: changePasswordSchema,
        response: {
          200: sessionSchema,
          ...errorResponses(400),
          409: errorSchema.describe('Another call changed the password at the same moment.'),
        },
      },
    },
    async (request, reply) => {
      const { id, userId, email } = request.session!;
      const { current, next } = request.body;
      const attempt = { email, password: current, address: request.ip };
      const verdict = await check(request.em, 'password', attempt, reply);
      if (verdict.kind === 'wrong') throw invalid('current', 'is not the current password');
      const passwordHash = await shares.hashing.run([nameClient(request.ip)], () =>
        hashPasswordOf(request.em, userId, 'next', next),
      );
      const { passwordHash: checkedHash } = verdict.credentials;
      await request.em.transactional(async (em) => {
        await setPassword(em, userId, passwordHash, { keepSessionId: id, checkedHash });
        await record(em, 'auth.password', attempt, userId);
      });
      return view(request.em, id);
    },
  );
};
