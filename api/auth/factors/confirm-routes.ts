import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { AppError, invalid } from '#core/errors/errors.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { confirmSession, findMethods, readSecondFactors } from '#db/accounts/second-factors.ts';
import { confirmedMinutes } from '#db/accounts/sessions.ts';
import { errorResponses } from '#api/schemas.ts';
import type { FactorDependencies } from './routes.ts';
import { confirmedSchema, confirmSchema, passkeyRequestSchema, proofFields, readProof } from './schema.ts';
import { presentRequest, referencesOf } from './presenter.ts';

/** Confirmation by the person of a session, before changes of weight. */
export const confirmRoutes: FastifyPluginAsyncZod<FactorDependencies> = async (app, deps) => {
  const { challenges, clock, requireHost, secondStep, signIn } = deps;

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
    handler: async (request) => {
      const { em, ip, session } = request;
      const { token, ...given } = request.body;
      const { id, userId, email, organizationId } = session!;
      const proof = readProof(given);
      const confirm = async (em: EntityManager, now: Date) => {
        await confirmSession(em, id, proof.method, now);
        await signIn.record(em, request, 'auth.confirmed', userId, organizationId);
        return { confirmedUntil: new Date(now.getTime() + confirmedMinutes * 60_000).toISOString() };
      };
      if (proof.method === 'password') {
        const { password } = proof;
        if ((await findMethods(em, userId)).length > 0)
          throw invalid('password', 'is not enough: use your second factor');
        const verdict = await signIn.check(request, 'password', { email, password });
        if (verdict.kind === 'wrong') throw invalid('password', 'is wrong');
        return em.transactional((em) => confirm(em, clock()));
      }
      const challenge = token === undefined ? undefined : challenges.open('confirmation', token, clock());
      if (proof.method === 'passkey' && (challenge === undefined || !challenges.isBoundTo(challenge, id))) {
        throw endedConfirmation();
      }
      const accepted = await secondStep.tryProof(em, { userId, proof, challenge, address: ip }, async (em, now) => {
        if (challenge !== undefined && !(await challenges.spend(em, challenge))) throw endedConfirmation();
        return confirm(em, now);
      });
      if (accepted === undefined) throw invalid(proofFields[proof.method], 'is wrong, or was used before');
      return accepted.result;
    },
  });
};

function endedConfirmation(): AppError {
  return invalid('token', 'is of a confirmation that has ended: try again');
}
