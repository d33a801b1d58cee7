import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { openSession } from '#commands/accounts/sessions.ts';
import { recordSignIn, type SignInAction } from '#commands/organizations/audit.ts';
import { AppError, tooMany } from '#core/errors/errors.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { Credentials } from '#db/organizations/people.ts';
import type { SessionView } from '#db/accounts/sessions.ts';
import { Session } from '#db/entities/accounts/people.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { createSessionCookie } from './cookie.ts';
import { createDeviceReader } from './device.ts';
import { createPasswordCheck } from './password-check.ts';
import { presentSession, type sessionSchema } from './schema.ts';

type SessionAnswer = z.output<typeof sessionSchema>;
type Call = Pick<FastifyRequest, 'em' | 'headers' | 'ip'>;

export type SignIn = ReturnType<typeof createSignIn>;

/** What the routes of sign-in share. @param installation what sessions tell of it. */
export function createSignIn(deps: ApiDependencies, installation: SessionAnswer['installation']) {
  const { baseUrl, clock, nameClient } = deps;
  const cookie = createSessionCookie(baseUrl);
  const readDevice = createDeviceReader(baseUrl);
  const checkPassword = createPasswordCheck(deps);

  /** The browser of a call, and the session in it that a new one replaces. */
  const readBrowser = ({ headers }: Pick<Call, 'headers'>) => ({
    device: readDevice(headers),
    replacedToken: cookie.read(headers.cookie),
  });

  /** Writes the outcome of an attempt to the audit log. @param em of the transaction that it belongs to. */
  const record = (
    em: EntityManager,
    { ip }: Pick<Call, 'ip'>,
    action: SignInAction,
    userId: string | null,
    organizationId?: string,
  ): Promise<void> => recordSignIn(em, { action, userId, organizationId, client: nameClient(ip) }, clock());

  /** Checks a password, and writes a failure to the audit log. @throws AppError RATE_LIMIT_EXCEEDED after too many failures. */
  async function check(call: Call, purpose: 'login' | 'password', given: { email: string; password: string }) {
    const { em, headers, ip: address } = call;
    const verdict = await checkPassword({ ...given, address, deviceToken: readDevice(headers).token });
    if (verdict.kind === 'wrong') await record(em, call, `auth.${purpose}Failed`, verdict.userId);
    if (verdict.kind !== 'throttled') return verdict;
    const { retryAfterSeconds, userId } = verdict;
    await record(em, call, `auth.${purpose}Throttled`, userId);
    throw tooMany(`Too many failed attempts; try again in ${retryAfterSeconds} s.`, retryAfterSeconds);
  }

  /** Opens a session for a password that is right. @throws AppError as `openSession`. */
  const open = (call: Call, credentials: Credentials) =>
    call.em.transactional(async (em) => {
      const opened = await openSession(em, credentials, readBrowser(call));
      await record(em, call, 'auth.login', credentials.id, opened.organizationId);
      return opened;
    });

  /** Reads a session. @throws AppError UNAUTHORIZED where it has ended meanwhile. */
  async function read(em: EntityManager, sessionId: string): Promise<SessionView> {
    const session = await em.getRepository(Session).view(sessionId);
    if (session === undefined) throw new AppError('UNAUTHORIZED', 'You are not signed in.');
    return session;
  }

  /** The answer of a session. @throws as `read`. */
  const view = async (em: EntityManager, sessionId: string): Promise<SessionAnswer> =>
    presentSession(await read(em, sessionId), installation);

  /** Hands the browser its new session. @returns the answer. */
  function enter(em: EntityManager, reply: FastifyReply, { id, token }: { id: string; token: string }) {
    void reply.header('set-cookie', cookie.set(token));
    return view(em, id);
  }

  return { readBrowser, record, check, open, read, view, enter };
}
