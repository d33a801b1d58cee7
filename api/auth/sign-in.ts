import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Device } from '#commands/accounts/sessions.ts';
import { recordSignIn, type SignInAction } from '#commands/organizations/audit.ts';
import { AppError, tooMany } from '#core/errors/errors.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { SessionView } from '#db/accounts/sessions.ts';
import { Session } from '#db/entities/accounts/people.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { createSessionCookie } from './cookie.ts';
import { createDeviceReader } from './device.ts';
import { createPasswordCheck, type PasswordVerdict } from './password-check.ts';
import { presentSession, type sessionSchema } from './schema.ts';

type SessionAnswer = z.output<typeof sessionSchema>;
type Call = Pick<FastifyRequest, 'em' | 'headers' | 'ip'>;

/** What the routes of sign-in share. */
export interface SignIn {
  /** The browser of a call, and the session in it that a new one replaces. */
  readBrowser(call: Pick<Call, 'headers'>): { device: Device; replacedToken: string | undefined };
  /** Checks a password, and writes a failure to the audit log. @throws AppError RATE_LIMIT_EXCEEDED after too many failures. */
  check(
    call: Call,
    purpose: 'login' | 'password',
    given: { email: string; password: string },
  ): Promise<Exclude<PasswordVerdict, { kind: 'throttled' }>>;
  /** Writes the outcome of an attempt to the audit log. @param em of the transaction that it belongs to. */
  record(
    em: EntityManager,
    call: Pick<Call, 'ip'>,
    action: SignInAction,
    userId: string | null,
    organizationId?: string,
  ): Promise<void>;
  /** Reads a session. @throws AppError UNAUTHORIZED where it has ended meanwhile. */
  read(em: EntityManager, sessionId: string): Promise<SessionView>;
  /** The answer of a session. @throws as `read`. */
  view(em: EntityManager, sessionId: string): Promise<SessionAnswer>;
  /** Hands the browser its new session. @returns the answer. */
  enter(em: EntityManager, reply: FastifyReply, session: { id: string; token: string }): Promise<SessionAnswer>;
}

/** @param installation what sessions tell of it. */
export function createSignIn(deps: ApiDependencies, installation: SessionAnswer['installation']): SignIn {
  const { baseUrl, clock, nameClient, shares } = deps;
  const cookie = createSessionCookie(baseUrl);
  const readDevice = createDeviceReader(baseUrl);
  const checkPassword = createPasswordCheck({ ...deps, gate: shares.hashing });

  const signIn: SignIn = {
    readBrowser: ({ headers }) => ({ device: readDevice(headers), replacedToken: cookie.read(headers.cookie) }),
    async check(call, purpose, given) {
      const { em, headers, ip: address } = call;
      const verdict = await checkPassword({ ...given, address, deviceToken: readDevice(headers).token });
      if (verdict.kind === 'wrong') await signIn.record(em, call, `auth.${purpose}Failed`, verdict.userId);
      if (verdict.kind !== 'throttled') return verdict;
      const { retryAfterSeconds, userId } = verdict;
      await signIn.record(em, call, `auth.${purpose}Throttled`, userId);
      throw tooMany(`Too many failed attempts; try again in ${retryAfterSeconds} s.`, retryAfterSeconds);
    },
    async record(em, { ip }, action, userId, organizationId) {
      await recordSignIn(em, { action, userId, organizationId, client: nameClient(ip) }, { now: clock() });
    },
    async read(em, sessionId) {
      const session = await em.getRepository(Session).view(sessionId);
      if (session === undefined) throw new AppError('UNAUTHORIZED', 'You are not signed in.');
      return session;
    },
    view: async (em, sessionId) => presentSession(await signIn.read(em, sessionId), installation),
    enter(em, reply, { id, token }) {
      void reply.header('set-cookie', cookie.set(token));
      return signIn.view(em, id);
    },
  };
  return signIn;
}
