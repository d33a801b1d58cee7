import { randomBytes } from 'node:crypto';
import { hashPasswordOf, setPassword } from '#commands/accounts/people.ts';
import { findPasswordReset, requestPasswordReset, resetPassword } from '#commands/accounts/password-resets.ts';
import { changeOrganization } from '#commands/accounts/sessions.ts';
import { endView } from '#commands/organizations/staff-views.ts';
import { AppError, invalid, tooMany } from '#core/errors/errors.ts';
import { OrganizationSuspended } from '#core/organizations/suspension.ts';
import { hashToken } from '#core/organizations/api-key.ts';
import { rememberDevice } from '#db/accounts/devices.ts';
import { Session, User } from '#db/entities/accounts/people.ts';
import { resetLivesMs } from '#db/accounts/password-resets.ts';
import { deletedSchema, errorResponses, errorSchema } from '#api/schemas.ts';
import type { Routes } from '#api/dependencies.ts';
import { createDeviceCookie, createSessionCookie } from './cookie.ts';
import { createPasskeys } from '#adapters/passkeys.ts';
import { createChallenges } from './factors/challenges.ts';
import { confirmRoutes } from './factors/confirm-routes.ts';
import { factorRoutes } from './factors/routes.ts';
import { createSecondStep } from './factors/second-step.ts';
import { factorSignInRoutes } from './factors/sign-in-routes.ts';
import { joinRoutes } from './invitation-routes.ts';
import { oidcRoutes } from './oidc/routes.ts';
import { appRoutes } from './app-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { createResetLimit } from './reset-limit.ts';
import { createSignIn } from './sign-in.ts';
import {
  changeOrganizationSchema,
  changePasswordSchema,
  forgotPasswordSchema,
  forgottenPasswordSchema,
  loginSchema,
  ownOrganizationsSchema,
  presentOrganizations,
  resetPasswordSchema,
  sessionSchema,
} from './schema.ts';

/** Sign-in and sessions for web applications: a cookie instead of a key. */
export const authRoutes: Routes = async (app, deps) => {
  const { baseUrl, clock, hasGeoip, nameClient, shares, site } = deps;
  const cookie = createSessionCookie(baseUrl);
  const deviceCookie = createDeviceCookie(baseUrl);
  const claimReset = createResetLimit(deps.sealing);
  const edgeUrl = new URL(site.originUrl(site.platformHost, '')).origin;
  const installation = { ...deps.installation, edgeUrl, hasGeoip };
  const signIn = createSignIn(deps, installation);
  const challenges = createChallenges(deps.sealing);
  const passkeys = createPasskeys(baseUrl);
  const secondStep = createSecondStep(deps, challenges, passkeys);
  const requireHost = (): string => {
    if (passkeys.host !== null) return passkeys.host;
    const message = 'Passkeys are bound to a host name, and this installation has an IP address (BASE_URL).';
    throw new AppError('FEATURE_NOT_AVAILABLE', message);
  };
  const factors = { ...deps, challenges, passkeys, secondStep, signIn, requireHost };

  await app.register(sessionRoutes, deps);
  await app.register(appRoutes, deps);
  await app.register(oidcRoutes, deps);
  await app.register(joinRoutes, factors);
  await app.register(factorRoutes, factors);
  await app.register(factorSignInRoutes, factors);
  await app.register(confirmRoutes, factors);

  app.post('/auth/login', {
    config: { access: 'sign-in' },
    schema: {
      operationId: 'signIn',
      summary: 'Sign in',
      description:
        'Begins a session, in a cookie, in the first organization that the user joined. A session ends 30 days after its last use, and 90 days after the sign-in at the latest; a session of staff after 12 hours. Calls that change something must have the Origin of the API itself.',
      body: loginSchema,
      response: {
        200: sessionSchema,
        ...errorResponses(400),
        401: errorSchema.describe(
          'E-mail or password is wrong; SECOND_FACTOR_REQUIRED: both are right, and a second factor is needed besides.',
        ),
      },
    },
    handler: async (request, reply) => {
      const verdict = await signIn.check(request, 'login', request.body);
      if (verdict.kind === 'wrong') throw new AppError('UNAUTHORIZED', 'E-mail or password is wrong.');
      const { credentials } = verdict;
      await secondStep.askFor(request.em, credentials);
      const session = await signIn.open(request, credentials).catch(async (error: unknown) => {
        if (error instanceof AppError) await signIn.record(request.em, request, 'auth.loginRefused', credentials.id);
        throw error;
      });
      return signIn.enter(request.em, reply, session);
    },
  });

  app.post('/auth/logout', {
    config: { access: 'any session', mayWhileViewing: true },
    schema: {
      operationId: 'signOut',
      summary: 'Sign out',
      description: 'Ends the session and removes its cookie.',
      response: { 200: deletedSchema, ...errorResponses(400) },
    },
    handler: async ({ em, session }, reply) => {
      await em.transactional(async (em) => {
        if (session!.isStaff) await endView(em, session!.id, clock());
        await em.nativeDelete(Session, { id: session!.id });
      });
      void reply.header('set-cookie', cookie.clear());
      return { rowCount: 1 };
    },
  });

  app.get('/auth/session', {
    config: { access: 'any session' },
    schema: {
      operationId: 'getSession',
      summary: 'Read the session: its user, organization and permissions',
      description:
        'With what the installation can do. Members of a suspended organization find their others by GET /auth/organizations.',
      response: { 200: sessionSchema, ...errorResponses(400) },
    },
    handler: async ({ em, headers, session }, reply) => {
      if (session!.isSuspended && !session!.isStaff) throw new OrganizationSuspended(session!.suspensionReason);
      const { id, userId, isByProvider } = session!;
      // Browsers send it. A known one has tries of its own at the person's password, which no organization's provider may have, and
      // a later sign-in by it is no news. Sign-ins themselves set the cookie of the session alone.
      if (headers['sec-fetch-site'] !== undefined && !isByProvider) {
        const known = deviceCookie.read(headers.cookie);
        const token = known ?? randomBytes(32).toString('base64url');
        await em.transactional((em) => rememberDevice(em, { userId, tokenHash: hashToken(token) }, clock()));
        if (known === undefined) void reply.header('set-cookie', deviceCookie.set(token));
      }
      return signIn.view(em, id);
    },
  });

  app.get('/auth/organizations', {
    config: { access: 'any session' },
    schema: {
      operationId: 'listOwnOrganizations',
      summary: 'List the organizations of the user',
      description: 'Answers in a suspended organization too, so that its members can switch to another one.',
      response: { 200: ownOrganizationsSchema, ...errorResponses(400) },
    },
    handler: async ({ em, session }) => presentOrganizations(await signIn.read(em, session!.id), installation),
  });

  app.post('/auth/organization', {
    config: { access: 'any session' },
    schema: {
      operationId: 'switchOrganization',
      summary: 'Switch to another organization of the user',
      body: changeOrganizationSchema,
      response: { 200: sessionSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ em, session, body }) => {
      await em.transactional((em) => changeOrganization(em, session!, body.id));
      return signIn.view(em, session!.id);
    },
  });

  app.post('/auth/password', {
    config: { access: 'session', isPersonal: true },
    schema: {
      operationId: 'changePassword',
      summary: 'Change the password',
      description:
        "Ends the user's other sessions. Failures count together with failed sign-ins. A password that attackers try first is refused.",
      body: changePasswordSchema,
      response: {
        200: sessionSchema,
        ...errorResponses(400),
        409: errorSchema.describe('Another call changed the password at the same moment.'),
      },
    },
    handler: async (request) => {
      const { id, userId, email } = request.session!;
      const { current, next } = request.body;
      const verdict = await signIn.check(request, 'password', { email, password: current });
      if (verdict.kind === 'wrong') throw invalid('current', 'is not the current password');
      const passwordHash = await shares.hashing(nameClient(request.ip), () =>
        hashPasswordOf(request.em, userId, 'next', next, deps.isBreached),
      );
      const { passwordHash: checkedHash } = verdict.credentials;
      await request.em.transactional(async (em) => {
        await setPassword(em, userId, passwordHash, { keepSessionId: id, checkedHash });
        await signIn.record(em, request, 'auth.password', userId);
      });
      return signIn.view(request.em, id);
    },
  });

  app.post('/auth/password/forgot', {
    config: { access: 'sign-in' },
    schema: {
      operationId: 'forgotPassword',
      summary: 'Ask for a mail with a link for a new password',
      description:
        'The link works once, for an hour, and a newer one ends it. The answer is the same whether or not an account has the e-mail. At most 5 requests for one e-mail by one client in 15 minutes, 10 for one e-mail and 30 by one client.',
      body: forgotPasswordSchema,
      response: {
        200: forgottenPasswordSchema,
        ...errorResponses(400),
        403: errorSchema.describe(
          'FEATURE_NOT_AVAILABLE: the installation sends no mail, because SMTP_URL is not set. FORBIDDEN: a page of another site calls.',
        ),
      },
    },
    handler: async (request) => {
      if (!installation.hasMail) {
        throw new AppError(
          'FEATURE_NOT_AVAILABLE',
          'This installation sends no mail: its operator sets SMTP_URL, or your password by `npm run waymark -- user set-password`.',
        );
      }
      const { em, ip, headers } = request;
      const asked = { ...request.body, client: nameClient(ip), deviceToken: deviceCookie.read(headers.cookie) };
      const refused = await em.transactional(async (em) => {
        const claim = await claimReset(em, asked);
        if (!claim.isAdmitted) return claim;
        const userId = await requestPasswordReset(em, claim, clock());
        await signIn.record(em, request, 'auth.resetRequested', userId);
        return undefined;
      });
      if (refused !== undefined) {
        const userId = (await em.getRepository(User).findPerson(refused.email))?.id ?? null;
        await signIn.record(em, request, 'auth.resetThrottled', userId);
        const { retryAfterSeconds } = refused;
        throw tooMany(`Too many requests; try again in ${retryAfterSeconds} s.`, retryAfterSeconds);
      }
      return { expiresInSeconds: resetLivesMs / 1_000 };
    },
  });

  app.post('/auth/password/reset', {
    config: { access: 'sign-in' },
    schema: {
      operationId: 'resetPassword',
      summary: 'Set a new password by the link of a mail',
      description:
        "Ends the user's sessions and begins a new one, as a sign-in does. A password that attackers try first is refused; then the link works on. Where the user's organizations are suspended the answer is 403, and the password is set.",
      body: resetPasswordSchema,
      response: {
        200: sessionSchema,
        ...errorResponses(400),
        401: errorSchema.describe(
          'Another call changed the password at the same moment; SECOND_FACTOR_REQUIRED: the password is set, and a second factor is needed to sign in.',
        ),
      },
    },
    handler: async (request, reply) => {
      const { token, newPassword } = request.body;
      const reset = await findPasswordReset(request.em, token, { sealing: deps.sealing, now: clock() });
      const { userId } = reset;
      const passwordHash = await shares.hashing(nameClient(request.ip), () =>
        hashPasswordOf(request.em, userId, 'newPassword', newPassword, deps.isBreached),
      );
      await request.em.transactional(async (em) => {
        await resetPassword(em, reset, passwordHash, clock());
        await signIn.record(em, request, 'auth.reset', userId);
      });
      const credentials = { id: userId, passwordHash };
      await secondStep.askFor(request.em, credentials);
      // Apart from the change: a person without an organization to work in has the new password too.
      return signIn.enter(request.em, reply, await signIn.open(request, credentials));
    },
  });
};
