import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { notifyPerson } from '#commands/accounts/notices.ts';
import { findPasskeyOwner, type Proof } from '#commands/accounts/second-factors.ts';
import { openSession } from '#commands/accounts/sessions.ts';
import { AppError, invalid } from '#core/errors/errors.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { User } from '#db/entities/accounts/people.ts';
import type { Credentials } from '#db/organizations/people.ts';
import { readSecondFactors } from '#db/accounts/second-factors.ts';
import { sessionSchema } from '#api/auth/schema.ts';
import { errorResponses, errorSchema } from '#api/schemas.ts';
import type { Challenge } from './challenges.ts';
import type { FactorDependencies } from './routes.ts';
import {
  passkeyOptionsSchema,
  passkeyRequestSchema,
  passkeySignInSchema,
  readProof,
  secondStepSchema,
} from './schema.ts';
import { presentRequest, referencesOf } from './presenter.ts';
import { actionOf } from './second-step.ts';

interface SignInByProof {
  challenge: Challenge;
  credentials: Credentials;
  proof: Proof;
  /** Whether a passkey stands alone. */
  isAlone: boolean;
}

/** The second step of a sign-in, and sign-in by a passkey alone. */
export const factorSignInRoutes: FastifyPluginAsyncZod<FactorDependencies> = async (app, deps) => {
  const { challenges, clock, requireHost, secondStep, signIn: shared } = deps;

  /** Finds the person of a sign-in whose password was right. @throws AppError VALIDATION_ERROR where it has ended. */
  async function readSignIn(
    em: EntityManager,
    token: string,
  ): Promise<{ challenge: Challenge & { userId: string }; credentials: Credentials }> {
    const challenge = challenges.open('sign-in', token, clock());
    if (challenge === undefined || challenge.userId === null) throw endedSignIn();
    const { userId } = challenge;
    const credentials = await em.getRepository(User).findCredentials({ id: userId });
    if (credentials === undefined || !challenges.isBoundTo(challenge, credentials.passwordHash)) throw endedSignIn();
    return { challenge: { ...challenge, userId }, credentials };
  }

  /** Opens a session by a proof. @returns undefined for a wrong proof. */
  async function signIn(
    request: FastifyRequest,
    reply: FastifyReply,
    { challenge, credentials, ...given }: SignInByProof,
  ): Promise<z.output<typeof sessionSchema> | undefined> {
    const { em, ip: address } = request;
    const { proof, isAlone } = given;
    const userId = credentials.id;
    const accepted = await secondStep
      .tryProof(em, { userId, challenge, address, ...given }, async (em, now) => {
        if (!(await challenges.spend(em, challenge))) throw endedSignIn();
        const opened = await openSession(em, credentials, { ...shared.readBrowser(request), secondFactorAt: now });
        await shared.record(em, request, actionOf(proof, isAlone), userId, opened.organizationId);
        if (proof.method === 'recoveryCode') await notifyPerson(em, { userId, kind: 'recoveryCodeUsed' }, now);
        return opened;
      })
      .catch(async (error: unknown) => {
        if (error instanceof AppError && error.code === 'FORBIDDEN')
          await shared.record(em, request, 'auth.loginRefused', userId);
        throw error;
      });
    return accepted && shared.enter(em, reply, accepted.result);
  }

  app.post('/auth/login/second-factor', {
    config: { access: 'sign-in' },
    schema: {
      operationId: 'signInSecondStep',
      summary: 'Sign in: the second factor',
      description:
        'For people with a second factor POST /auth/login, POST /auth/password/reset and POST /auth/invitation/accept answer SECOND_FACTOR_REQUIRED, with a token that works once, for five minutes, and while the password stays the same. Ten wrong codes of a person in 15 minutes are answered 429.',
      body: secondStepSchema,
      response: {
        200: sessionSchema,
        ...errorResponses(400),
        401: errorSchema.describe('The code, the recovery code or the passkey is wrong, or was used before.'),
      },
    },
    handler: async (request, reply) => {
      const { token, ...given } = request.body;
      const proof = readProof(given);
      const { challenge, credentials } = await readSignIn(request.em, token);
      const session = await signIn(request, reply, { challenge, credentials, proof, isAlone: false });
      if (session === undefined) throw new AppError('UNAUTHORIZED', wrongProofs[proof.method]);
      return session;
    },
  });

  app.post('/auth/login/passkey-options', {
    config: { access: 'sign-in' },
    schema: {
      operationId: 'askForPasskey',
      summary: 'Sign in: what a browser needs to ask for a passkey',
      description:
        'With the token of SECOND_FACTOR_REQUIRED: for POST /auth/login/second-factor. Without: for POST /auth/login/passkey, where the passkey tells its person.',
      body: passkeyOptionsSchema,
      response: { 200: passkeyRequestSchema, ...errorResponses(400) },
    },
    handler: async ({ body: { token }, em }) => {
      const host = requireHost();
      if (token === undefined) {
        const { challenge, token } = challenges.issue('passkey sign-in', {}, clock());
        return { token, options: presentRequest({ challenge: challenge.challenge, host }, []) };
      }
      const { challenge } = await readSignIn(em, token);
      const { passkeys: own } = await readSecondFactors(em, challenge.userId);
      // Without one the browser would offer any, as for a sign-in by a passkey alone.
      if (own.length === 0) throw invalid('token', 'is of a person without a passkey');
      return { token, options: presentRequest({ challenge: challenge.challenge, host }, referencesOf(own)) };
    },
  });

  app.post('/auth/login/passkey', {
    config: { access: 'sign-in' },
    schema: {
      operationId: 'signInByPasskey',
      summary: 'Sign in by a passkey alone',
      description:
        'Without e-mail and password: the authenticator has checked the person by a PIN or a finger, so that the passkey is two factors.',
      body: passkeySignInSchema,
      response: {
        200: sessionSchema,
        ...errorResponses(400),
        401: errorSchema.describe('The passkey is not known here, or its signature is wrong.'),
      },
    },
    handler: async (request, reply) => {
      const { token, passkey: assertion } = request.body;
      const challenge = challenges.open('passkey sign-in', token, clock());
      if (challenge === undefined) throw endedSignIn();
      const userId = await findPasskeyOwner(request.em, assertion);
      const credentials =
        userId === undefined ? undefined : await request.em.getRepository(User).findCredentials({ id: userId });
      const proof = { method: 'passkey', assertion } as const;
      const session = credentials && (await signIn(request, reply, { challenge, credentials, proof, isAlone: true }));
      if (session === undefined) throw new AppError('UNAUTHORIZED', 'This passkey does not sign anybody in here.');
      return session;
    },
  });
};

const wrongProofs = {
  totp: 'The code is wrong, or was used before.',
  recoveryCode: 'The recovery code is wrong, or was used before.',
  passkey: 'The passkey is not one of yours, or its signature is wrong.',
} as const;

function endedSignIn(): AppError {
  return invalid('token', 'is of a sign-in that has ended: sign in again');
}
