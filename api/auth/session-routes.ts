import { recordSignIn } from '#commands/organizations/audit.ts';
import { leaveOrganization } from '#commands/organizations/members.ts';
import { changeName } from '#commands/accounts/people.ts';
import { AppError } from '#core/errors/errors.ts';
import { Session } from '#db/entities/accounts/people.ts';
import { deletedSchema, errorResponses, idParamsSchema } from '#api/schemas.ts';
import type { Routes } from '#api/dependencies.ts';
import { changeUserSchema, presentDevice, sessionListSchema, userSchema } from './schema.ts';

/** The sessions of a person, and their name. */
export const sessionRoutes: Routes = async (app, { clock, nameClient }) => {
  app.get('/auth/sessions', {
    config: { access: 'any session' },
    schema: {
      operationId: 'listSessions',
      summary: 'List the sessions of the user',
      description:
        "Every browser in which the user is signed in, the last used first; for a session by an organization's identity provider those that it opened.",
      response: { 200: sessionListSchema, ...errorResponses(400) },
    },
    handler: async ({ em, session }) => {
      const { id, userId, organizationId, isByProvider } = session!;
      // Where else the person works is not told to the provider of an organization.
      const byProviderOf = isByProvider ? organizationId : undefined;
      const sessions = await em.getRepository(Session).listOf(userId, clock(), byProviderOf);
      return { data: sessions.map((one) => presentDevice(one, id)) };
    },
  });

  app.delete('/auth/sessions/:id', {
    config: { access: 'any session', isPersonal: true },
    schema: {
      operationId: 'endSession',
      summary: 'End a session of the user',
      description:
        'The browser is signed out at its next call. The session of this call is ended by POST /auth/logout.',
      params: idParamsSchema,
      response: { 200: deletedSchema, ...errorResponses(400, 404) },
    },
    handler: async ({ em, session, params: { id }, ip }) => {
      const { userId } = session!;
      await em.transactional(async (em) => {
        const ended = id === session!.id ? 0 : await em.nativeDelete(Session, { id, user: userId });
        if (ended === 0) throw new AppError('NOT_FOUND', 'There is no other session of yours with this id.');
        const attempt = { action: 'auth.sessionEnded', userId, client: nameClient(ip) } as const;
        await recordSignIn(em, attempt, clock());
      });
      return { rowCount: 1 };
    },
  });

  app.delete('/auth/sessions', {
    config: { access: 'any session', isPersonal: true },
    schema: {
      operationId: 'endOtherSessions',
      summary: 'End all other sessions of the user',
      description: 'The session of this call goes on.',
      response: { 200: deletedSchema, ...errorResponses(400) },
    },
    handler: async ({ em, session, ip }) => {
      const { userId, id: keepId } = session!;
      const rowCount = await em.transactional(async (em) => {
        const ended = await em.nativeDelete(Session, { user: userId, id: { $ne: keepId } });
        const attempt = { action: 'auth.sessionEnded', userId, client: nameClient(ip) } as const;
        if (ended > 0) await recordSignIn(em, attempt, clock());
        return ended;
      });
      return { rowCount };
    },
  });

  app.patch('/auth/user', {
    config: { access: 'any session', isPersonal: true },
    schema: {
      operationId: 'updateUser',
      summary: 'Change the name of the user',
      body: changeUserSchema,
      response: { 200: userSchema, ...errorResponses(400) },
    },
    handler: async ({ em, session, body }) => {
      const { id, email, name } = await em.transactional((em) => changeName(em, session!.userId, body.name, clock()));
      return { id, email: email!, name };
    },
  });

  app.post('/auth/organization/leave', {
    config: { access: 'session' },
    schema: {
      operationId: 'leaveOrganization',
      summary: "Leave the session's organization",
      description:
        "Ends the person's key and sessions there; links and other things that they made stay. The calling session goes on in another organization of the person, where there is one. The only owner makes another person an owner first.",
      response: { 200: deletedSchema, ...errorResponses(400, 409) },
    },
    handler: async ({ actor, em, session }) => {
      await em.transactional((em) => leaveOrganization(em, actor, session!.id, clock()));
      return { rowCount: 1 };
    },
  });
};
