import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { recordSignIn } from '#commands/organizations/audit.ts';
import { AppError, invalid } from '#core/errors/errors.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { confirmSession, findMethods, readSecondFactors } from '#db/accounts/second-factors.ts';
import { confirmedMinutes } from '#db/accounts/sessions.ts';
import { createDeviceCookie } from '#api/auth/cookie.ts';
import type { PasswordAttempt, PasswordVerdict } from '#api/auth/password-check.ts';
import { errorResponses } from '#api/schemas.ts';
import type { FactorDependencies } from './routes.ts';
import { confirmedSchema, confirmSchema, passkeyRequestSchema, proofFields, readProof } from './schema.ts';
import { presentRequest, referencesOf } from './presenter.ts';

interface ConfirmDependencies extends FactorDependencies {
  /** Checks a password as a change of it does. @throws AppError RATE_LIMIT_EXCEEDED after too many failures. */
  check(em: EntityManager, attempt: PasswordAttempt): Promise<Exclude<PasswordVerdict, { kind: 'throttled' }>>;
}

/** Confirmation by the person of a session, before changes of weight. */
export const confirmRoutes: FastifyPluginAsyncZod<ConfirmDependencies> = async (app, deps) => {
  const { challenges, check, clock, nameClient, requireHost, secondStep } = deps;
  const deviceCookie = createDeviceCookie(deps.baseUrl);

  app.post('/auth/confirm/passkey-options', {
    config: { access: 'any session', mayWhileViewing: true },
    schema: {
      operationId: 'askForConfirmingPasskey',
      summary: 'What a browser needs to ask for a passkey, as a confirmation',
      response: { 200: passkeyRequestSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ em, session }) => {
      const host = requireHost();
      const { id: boundTo, userId } = session!;
      const { passkeys: own } = await readSecondFactors(em, userId);
      if (own.length === 0) throw new AppError('NOT_FOUND', 'You have no passkey.');
      const { challenge, token } = challenges.issue('confirmation', { userId, boundTo }, clock());
      return { token, options: presentRequest({ challenge: challenge.challenge, host }, referencesOf(own)) };
    },
  });

  app.post('/auth/confirm', {
    config: { access: 'any session', mayWhileViewing: true },
    schema: {
      operationId: 'confirmSession',
      summary: 'Confirm that it is still the person of the session',
      description:
        'Calls of weight ask for it by 403 CONFIRMATION_REQUIRED: changes of second factors of everybody, and for people with a second factor changes of API keys, of people and of the identity provider. A sign-in counts for 15 minutes too. People with a second factor confirm by it, others by the password. Wrong codes and passwords are throttled as at a sign-in.',
      body: confirmSchema,
      response: { 200: confirmedSchema, ...errorResponses(400) },
    },
    handler: async ({ body: { token, ...given }, em, headers, ip, session }) => {
      const { id, userId, email, organizationId } = session!;
      const proof = readProof(given);
      const line = { action: 'auth.confirmed', userId, organizationId, client: nameClient(ip) } as const;
      const until = (now: Date) => ({
        confirmedUntil: new Date(now.getTime() + confirmedMinutes * 60_000).toISOString(),
      });
      if (proof.method === 'password') {
        const { password } = proof;
        if ((await findMethods(em, userId)).length > 0)
          throw invalid('password', 'is not enough: use your second factor');
        const verdict = await check(em, {
          email,
          password,
          address: ip,
          deviceToken: deviceCookie.read(headers.cookie),
        });
        if (verdict.kind === 'wrong') throw invalid('password', 'is wrong');
        const now = clock();
        await em.transactional(async (em) => {
          await confirmSession(em, id, 'password', now);
          await recordSignIn(em, line, { now });
        });
        return until(now);
      }
      const challenge = token === undefined ? undefined : challenges.open('confirmation', token, clock());
      if (proof.method === 'passkey' && (challenge === undefined || !challenges.isBoundTo(challenge, id))) {
        throw endedConfirmation();
      }
      const accepted = await secondStep.tryProof(em, { userId, proof, challenge, address: ip }, async (em, now) => {
        if (challenge !== undefined && !(await challenges.spend(em, challenge))) throw endedConfirmation();
        await confirmSession(em, id, proof.method, now);
        await recordSignIn(em, line, { now });
        return until(now);
      });
      if (accepted === undefined) throw invalid(proofFields[proof.method], 'is wrong, or was used before');
      return accepted.result;
    },
  });
};

function endedConfirmation(): AppError {
  return invalid('token', 'is of a confirmation that has ended: try again');
}
