import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { acceptInvitation, findInvitation } from '#commands/organizations/invitations.ts';
import { hashPassword } from '#commands/accounts/passwords.ts';
import { newPasswordProblem } from '#commands/accounts/people.ts';
import { changeOrganization, openSession } from '#commands/accounts/sessions.ts';
import { AppError, invalidFields } from '#core/errors/errors.ts';
import { nullAsDefault, name, text } from '#core/lib/schemas.ts';
import { roles } from '#core/organizations/permissions.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { User } from '#db/entities/accounts/people.ts';
import type { FactorDependencies } from './factors/routes.ts';
import { exampleToken, mailTokenSchema, sessionSchema } from './schema.ts';
import { present } from '#api/present.ts';
import { errorResponses, errorSchema, momentSchema } from '#api/schemas.ts';

const readSchema = z
  .strictObject({ token: mailTokenSchema })
  .meta({ id: 'InvitationToken', description: 'The proof that the mail arrived.', example: { token: exampleToken } });

export const invitationOfferSchema = z
  .strictObject({
    organization: z.string().describe('Name of the organization.').meta({ example: 'Example Ltd' }),
    email: z.string().describe('Who is invited.').meta({ example: 'grace@example.com' }),
    role: z.enum(roles).describe('The role that the person will have.'),
    invitedBy: z.string().nullable().describe('Name of the person who invited.').meta({ example: 'Ada Lovelace' }),
    expiresAt: momentSchema.describe('Until when the link works.'),
    hasAccount: z.boolean().describe('Whether an account has the e-mail: then its password accepts, or its session.'),
  })
  .meta({ id: 'InvitationOffer', description: 'An invitation, as the person sees it who has the link.' });

const acceptSchema = z
  .strictObject({
    token: mailTokenSchema,
    ...nullAsDefault({ name: name(100).optional().describe('Of a new person; of an existing account it stays.') }),
    password: text({ min: 8, max: 128 }).describe('Of the existing account, or the new one of a new person.'),
  })
  .meta({
    id: 'AcceptInvitation',
    description: 'Accepts an invitation, by the password of the account or as a new person.',
    example: { token: exampleToken, name: 'Grace Hopper', password: 'correct horse battery staple' },
  });

/** How invited people join. A token that does not work answers the same whatever ended it. */
export const joinRoutes: FastifyPluginAsyncZod<FactorDependencies> = async (app, deps) => {
  const { clock, nameClient, sealing, secondStep, shares, signIn } = deps;

  const find = (em: EntityManager, token: string) => findInvitation(em, token, { sealing, now: clock() });

  app.post('/auth/invitation', {
    config: { access: 'sign-in' },
    schema: {
      operationId: 'readInvitation',
      summary: 'Read an invitation by the link of its mail',
      body: readSchema,
      response: { 200: invitationOfferSchema, ...errorResponses(400) },
    },
    handler: async ({ body: { token }, em }) => {
      const { invitation } = await find(em, token);
      const { organization, email, invitedBy } = invitation;
      return present(invitationOfferSchema, invitation, {
        organization: organization.name,
        invitedBy: invitedBy?.name,
        hasAccount: (await em.getRepository(User).findPerson(email)) !== null,
      });
    },
  });

  app.post('/auth/invitation/accept', {
    config: { access: 'sign-in' },
    schema: {
      operationId: 'acceptInvitation',
      summary: 'Accept an invitation, and sign in',
      description:
        'A new person gives a name and a password; an existing account is joined by its password, whose failures count with failed sign-ins. The session begins in the organization.',
      body: acceptSchema,
      response: {
        200: sessionSchema,
        ...errorResponses(400, 409),
        401: errorSchema.describe(
          'The password of the existing account is wrong; SECOND_FACTOR_REQUIRED: it is right, and the account has a second factor. Then the invitation is accepted by POST /auth/invitation/join, once the person is signed in.',
        ),
      },
    },
    handler: async (request, reply) => {
      const { token, name: given, password } = request.body;
      const { em, ip } = request;
      const { invitation, isMailed } = await find(em, token);
      const { email, organization } = invitation;
      const known = await em.getRepository(User).findPerson(email);
      const person = known === null ? await asNew() : await asKnown();
      const session = await em.transactional(async (em) => {
        const userId = await acceptInvitation(em, invitation, person, { now: clock(), isMailed });
        const credentials = await em.getRepository(User).findCredentials({ id: userId });
        const opened = await openSession(em, credentials!, signIn.readBrowser(request));
        await changeOrganization(em, { ...opened, userId }, organization.id);
        await signIn.record(em, request, 'auth.login', userId, organization.id);
        return opened;
      });
      return signIn.enter(em, reply, session);

      async function asNew(): Promise<{ name: string; passwordHash: string }> {
        const own = [email, given ?? '', organization.name];
        const problem = await newPasswordProblem(password, { own, isBreached: deps.isBreached });
        const issues = problem === undefined ? [] : [{ path: 'password', message: problem }];
        if (given === undefined)
          throw invalidFields([{ path: 'name', message: 'is needed: no account has this e-mail yet' }, ...issues]);
        if (issues.length > 0) throw invalidFields(issues);
        const passwordHash = await shares.hashing(nameClient(ip), () => hashPassword(password));
        return { name: given, passwordHash };
      }

      async function asKnown(): Promise<{ userId: string }> {
        const verdict = await signIn.check(request, 'login', { email, password });
        if (verdict.kind === 'wrong') throw new AppError('UNAUTHORIZED', 'The password of your account is wrong.');
        // Then the invitation is accepted by POST /auth/invitation/join.
        await secondStep.askFor(em, verdict.credentials);
        return { userId: verdict.credentials.id };
      }
    },
  });

  app.post('/auth/invitation/join', {
    config: { access: 'any session', isPersonal: true },
    schema: {
      operationId: 'joinByInvitation',
      summary: 'Accept an invitation by the session of the invited person',
      description: 'The session moves to the organization.',
      body: readSchema,
      response: { 200: sessionSchema, ...errorResponses(400) },
    },
    handler: async ({ body: { token }, em, session }) => {
      const { invitation, isMailed } = await find(em, token);
      const { id, userId, email } = session!;
      if (email !== invitation.email) {
        const message = `This invitation is for ${invitation.email}: sign out, and open its link again.`;
        throw new AppError('FORBIDDEN', message);
      }
      await em.transactional(async (em) => {
        await acceptInvitation(em, invitation, { userId }, { now: clock(), isMailed });
        await changeOrganization(em, session!, invitation.organization.id);
      });
      return signIn.view(em, id);
    },
  });
};
