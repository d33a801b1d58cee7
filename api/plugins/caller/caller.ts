import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AppError, tooMany } from '#core/errors/errors.ts';
import type { Actor } from '#core/audit/actor.ts';
import type { Action, Resource } from '#core/organizations/permissions.ts';
import type { SessionRow } from '#db/accounts/sessions.ts';
import type { Limiter, RateState } from '#api/limits/rate-limiter.ts';

/**
 * Who may call a route. Each route says it in its `config: { access }` in `routes.ts`:
 * - a permission: keys and sessions that have it; of several actions each is needed, or with `isEither` one. With `bySession` no key
 * - `any permission`: every key, and signed-in members
 * - `session`: signed-in members of an organization that is not suspended
 * - `any session`: signed-in members, suspended or not
 * - `staff`: signed-in staff, never a key
 * - `sign-in`: everyone except pages of other sites
 * - `sign-in from another site`: everyone; an identity provider sends the browser here
 * - `public`: everyone, without rate limit
 */
export type Access =
  | { resource: Resource; action: Action | readonly Action[]; isEither?: true; bySession?: true }
  | 'any permission'
  | 'session'
  | 'any session'
  | 'staff'
  | 'sign-in'
  | 'sign-in from another site'
  | 'public';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** Whether staff may call it while they look at an organization, although it changes something. */
    mayWhileViewing?: boolean;
    /**
     * Whether the route keeps to the reach of a key that is restricted to folders or domains (`core/organizations/reach.ts`). Other
     * routes refuse such keys, so that a new route shows them nothing.
     */
    keepsReach?: true;
    /**
     * Of whom a call by session needs a confirmation in the last 15 minutes: of people with a second factor, or of everyone.
     * Calls by key need none.
     */
    confirmation?: 'people with a second factor' | 'everyone';
    /** Whether it changes the person, beyond one organization: a session by an organization's provider may not. */
    isPersonal?: true;
  }
  interface FastifyRequest {
    /** Whom the hooks of key and session found; an error says why a key may not be used. Undefined: there is no live key or session. */
    caller: Caller | AppError | undefined;
  }
}

/** The holder of a key or a session. */
export interface Caller {
  actor: Actor;
  /** Null for a call with a key. */
  session: SessionRow | null;
  isSuspended: boolean;
  /** What staff tell about the suspension. */
  suspensionReason: string | null;
}

export interface CallLimits {
  limiter: Limiter;
  /** Hashes a client's address, so that the database does not hold it. */
  nameClient(address: string): string;
}

/** Whether no key may call a route: of a permission, it is for owners. */
export const isOfPeople = (access: Access): boolean =>
  access === 'session' || access === 'any session' || (typeof access === 'object' && access.bySession === true);

/** Whether everyone may sign in there, who has no key and no session yet. */
export const isForSignIn = (access: Access | undefined): boolean =>
  access === 'sign-in' || access === 'sign-in from another site';

/** Counts a call without a valid key or session. @throws AppError RATE_LIMIT_EXCEEDED */
export async function admitClient(
  { limiter, nameClient }: CallLimits,
  { ip }: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  admit(await limiter.takeClient(nameClient(ip)), reply);
}

/** Tells a caller its rate limit. @throws AppError RATE_LIMIT_EXCEEDED */
export function admit({ ok, limit, remaining, resetSeconds }: RateState, reply: FastifyReply): void {
  void reply.headers({
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': resetSeconds,
  });
  if (ok) return;
  throw tooMany(`Too many requests; try again in ${resetSeconds} s.`, resetSeconds);
}
