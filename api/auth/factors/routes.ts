import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import {
  addPasskey,
  beginTotp,
  confirmTotp,
  type FactorHolder,
  removePasskey,
  removeTotp,
  renamePasskey,
  renewRecoveryCodes,
} from '#commands/accounts/second-factors.ts';
import { type AppError, invalid } from '#core/errors/errors.ts';
import type { Passkeys } from '#core/accounts/passkeys.ts';
import { totpUri } from '#core/accounts/second-factors.ts';
import { User } from '#db/entities/accounts/people.ts';
import { readSecondFactors } from '#db/accounts/second-factors.ts';
import type { SessionRow } from '#db/accounts/sessions.ts';
import { deletedSchema, errorResponses, errorSchema, idParamsSchema } from '#api/schemas.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import type { Challenges } from './challenges.ts';
import {
  addedPasskeySchema,
  addedTotpSchema,
  addPasskeySchema,
  confirmTotpSchema,
  passkeyCreationSchema,
  passkeySchema,
  recoveryCodesSchema,
  renamePasskeySchema,
  secondFactorsSchema,
  totpSecretSchema,
} from './schema.ts';
import { presentCreation, presentFactors, presentPasskey, referencesOf } from './presenter.ts';
import type { SecondStep } from './second-step.ts';
import type { SignIn } from '#api/auth/sign-in.ts';

/** What the routes of sign-in and of second factors share. */
export interface FactorDependencies extends ApiDependencies {
  challenges: Challenges;
  passkeys: Passkeys;
  secondStep: SecondStep;
  signIn: SignIn;
  /** The host name that passkeys are bound to. @throws AppError FEATURE_NOT_AVAILABLE where the installation has none. */
  requireHost(): string;
}

const confirmed = { access: 'any session', confirmation: 'everyone' } as const;
const askNote = 'Without a confirmation in the last 15 minutes the answer is 403 CONFIRMATION_REQUIRED.';

const holderOf = (session: SessionRow | null): FactorHolder => ({
  userId: session!.userId,
  sessionId: session!.id,
  organizationId: session!.organizationId,
});

/** A person's own second factors (2.22). */
export const factorRoutes: FastifyPluginAsyncZod<FactorDependencies> = async (app, deps) => {
  const { baseUrl, challenges, clock, needsStaffFactor, passkeys, requireHost, sealing } = deps;

  app.get('/auth/second-factors', {
    config: { access: 'any session' },
    schema: {
      operationId: 'getSecondFactors',
      summary: 'Read the second factors of the user',
      response: { 200: secondFactorsSchema, ...errorResponses(400) },
    },
    handler: async ({ em, session }) =>
      presentFactors(await readSecondFactors(em, session!.userId), {
        isRequired: needsStaffFactor && session!.isStaff,
        canAddPasskeys: passkeys.host !== null,
      }),
  });

  app.post('/auth/second-factors/totp', {
    config: confirmed,
    schema: {
      operationId: 'beginTotp',
      summary: 'Make the secret of an authenticator app',
      description: `It is no second factor before its first code was sent; a second call makes another secret. ${askNote}`,
      response: {
        200: totpSecretSchema,
        ...errorResponses(400),
        409: errorSchema.describe('The user has an authenticator app already.'),
      },
    },
    handler: async ({ em, session }) => {
      const { userId, email } = session!;
      const secret = await em.transactional((em) => beginTotp(em, userId, { now: clock(), sealing }));
      // Apps keep entries apart by both names: an installation for tests and another may have the same people.
      const issuer = `Waymark (${new URL(baseUrl).hostname})`;
      return { secret, uri: totpUri(secret, { issuer, account: email }) };
    },
  });

  app.post('/auth/second-factors/totp/confirm', {
    config: confirmed,
    schema: {
      operationId: 'confirmTotp',
      summary: 'Add the authenticator app, by its first code',
      description: `The first second factor comes with recovery codes. ${askNote}`,
      body: confirmTotpSchema,
      response: {
        200: addedTotpSchema,
        ...errorResponses(400),
        409: errorSchema.describe('No secret waits for its first code.'),
      },
    },
    handler: async ({ body: { code }, em, session }) => ({
      recoveryCodes: await em.transactional((em) =>
        confirmTotp(em, holderOf(session), code, { now: clock(), sealing }),
      ),
    }),
  });

  app.delete('/auth/second-factors/totp', {
    config: confirmed,
    schema: {
      operationId: 'removeTotp',
      summary: 'Remove the authenticator app',
      description: `With the last second factor its recovery codes end. ${askNote}`,
      response: { 200: deletedSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ em, session }) => {
      await em.transactional((em) => removeTotp(em, holderOf(session), clock()));
      return { rowCount: 1 };
    },
  });

  app.post('/auth/second-factors/passkeys/options', {
    config: confirmed,
    schema: {
      operationId: 'beginPasskey',
      summary: 'What a browser needs to make a passkey',
      description: `For navigator.credentials.create(). ${askNote}`,
      response: { 200: passkeyCreationSchema, ...errorResponses(400) },
    },
    handler: async ({ em, session }) => {
      const host = requireHost();
      const { id: boundTo, userId } = session!;
      const { id, email, name } = await em.findOneOrFail(User, { id: userId });
      const { passkeys: own } = await readSecondFactors(em, userId);
      const { challenge, token } = challenges.issue('passkey registration', { userId, boundTo }, clock());
      const user = { id, email: email!, name };
      return { token, options: presentCreation({ challenge: challenge.challenge, host }, user, referencesOf(own)) };
    },
  });

  app.post('/auth/second-factors/passkeys', {
    config: confirmed,
    schema: {
      operationId: 'addPasskey',
      summary: 'Add a passkey',
      description: `At most 20. The first second factor comes with recovery codes. ${askNote}`,
      body: addPasskeySchema,
      response: {
        201: addedPasskeySchema,
        ...errorResponses(400),
        409: errorSchema.describe('The passkey was added before, or there are 20.'),
      },
    },
    handler: async ({ body: { token, name, passkey }, em, session }, reply) => {
      requireHost();
      const { id, transports = [], ...response } = passkey;
      const challenge = challenges.open('passkey registration', token, clock());
      if (challenge === undefined || !challenges.isBoundTo(challenge, session!.id)) throw endedRegistration();
      const verified = await passkeys.verifyRegistration(challenge.challenge, { id, ...response });
      if (verified === undefined) throw invalid('passkey', 'is not one that this page has asked for: try again');
      const added = await em.transactional(async (em) => {
        if (!(await challenges.spend(em, challenge))) throw endedRegistration();
        return addPasskey(em, holderOf(session), verified, { name, transports, now: clock() });
      });
      return reply.code(201).send({ ...presentPasskey(added.passkey), recoveryCodes: added.recoveryCodes });
    },
  });

  app.patch('/auth/second-factors/passkeys/:id', {
    config: { access: 'any session', isPersonal: true },
    schema: {
      operationId: 'renamePasskey',
      summary: 'Rename a passkey',
      params: idParamsSchema,
      body: renamePasskeySchema,
      response: { 200: passkeySchema, ...errorResponses(400, 404) },
    },
    handler: async ({ body: { name }, em, params: { id }, session }) =>
      presentPasskey(await em.transactional((em) => renamePasskey(em, session!.userId, id, name))),
  });

  app.delete('/auth/second-factors/passkeys/:id', {
    config: confirmed,
    schema: {
      operationId: 'removePasskey',
      summary: 'Remove a passkey',
      description: `With the last second factor its recovery codes end. ${askNote}`,
      params: idParamsSchema,
      response: { 200: deletedSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ em, params: { id }, session }) => {
      await em.transactional((em) => removePasskey(em, holderOf(session), id, clock()));
      return { rowCount: 1 };
    },
  });

  app.post('/auth/second-factors/recovery-codes', {
    config: confirmed,
    schema: {
      operationId: 'renewRecoveryCodes',
      summary: 'Make new recovery codes',
      description: `Those before stop working. ${askNote}`,
      response: {
        200: recoveryCodesSchema,
        ...errorResponses(400),
        409: errorSchema.describe('The user has no second factor.'),
      },
    },
    handler: async ({ em, session }) => ({
      recoveryCodes: await em.transactional((em) => renewRecoveryCodes(em, holderOf(session), clock())),
    }),
  });
};

function endedRegistration(): AppError {
  return invalid('token', 'is of a passkey that has ended: begin again');
}
