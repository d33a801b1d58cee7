import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { AppError } from '#core/errors/errors.ts';
import { spellAddress } from '#core/http/address-ranges.ts';
import { hasChecksum, isApiKey } from '#core/organizations/api-key.ts';
import { toReach } from '#core/organizations/reach.ts';
import type { KeyRow } from '#db/organizations/key-lookup.ts';
import type { KeyUses } from '#api/auth/key-uses.ts';
import { admit, admitClient, type Caller, type CallLimits, isForSignIn } from './caller.ts';

interface KeyOptions extends CallLimits {
  keyUses: KeyUses;
  clock(): Date;
}

/**
 * Finds the caller by API key and counts the call for the key; without a live key, for the client's address. A key wins over a
 * session.
 */
export const key = fp<KeyOptions>(
  async (app, options) => {
    const { limiter, keyUses, clock } = options;
    app.decorateRequest('caller', undefined);
    app.addHook('onRequest', async (request, reply) => {
      const { access } = request.routeOptions.config;
      const value = request.headers['x-api-key'];
      if (value === undefined || access === 'public') return;
      if (access === 'staff' || isForSignIn(access) || isAuthPath(request)) {
        await admitClient(options, request, reply);
        throw new AppError('FORBIDDEN', refusalOfKeys(request));
      }
      request.caller = await findCaller(value, request, reply);
    });

    /** @returns an error that says why the key may not be used, or not from here; undefined without a live key. */
    async function findCaller(
      value: string | string[],
      request: FastifyRequest,
      reply: FastifyReply,
    ): Promise<Caller | AppError | undefined> {
      if (typeof value !== 'string' || !isApiKey(value)) {
        await admitClient(options, request, reply);
        return undefined;
      }
      const { key, isAllowed, rate } = await limiter.takeKey(value, request.ip);
      const refusal = refusalOf(key, { value, address: request.ip, isAllowed, now: clock() });
      if (key === undefined || rate === undefined || refusal !== undefined) {
        // A stolen key does not use up the limit of its owner.
        await admitClient(options, request, reply);
        return refusal;
      }
      const caller = callerOf(key);
      // Before the limit: a call that it refuses is one of the organization too.
      request.caller = caller;
      admit(rate, reply);
      keyUses.note(key.id, request.ip);
      return caller;
    }
  },
  { name: 'key', fastify: '5.x', dependencies: ['errors'] },
);

function refusalOfKeys(request: FastifyRequest): string {
  if (request.routeOptions.config.access === 'staff') return 'API keys cannot call the internal tools: sign in.';
  return isAuthPath(request)
    ? 'API keys cannot call paths under /auth/.'
    : 'API keys cannot call this: send it without a key.';
}

/** Whether keys cannot call a path; unknown paths count too. */
function isAuthPath({ routeOptions, url }: FastifyRequest): boolean {
  return (routeOptions.url ?? url).startsWith('/auth/');
}

/** Why a key may not be used. @param isAllowed whether it may be used from the address. */
function refusalOf(
  key: KeyRow | undefined,
  { value, address, isAllowed, now }: { value: string; address: string; isAllowed: boolean; now: Date },
): AppError | undefined {
  if (key === undefined) return hasChecksum(value) ? undefined : new AppError('UNAUTHORIZED', mistyped);
  if (!isAllowed) {
    const message = `This API key may not be used from ${spellAddress(address)}: see its allowedAddresses.`;
    return new AppError('FORBIDDEN', message);
  }
  const isOver = key.endsAt !== null && key.endsAt <= now;
  return isOver ? new AppError('UNAUTHORIZED', 'This API key has expired.') : undefined;
}

// Keys of earlier versions have no checksum: they are found before it is looked at.
const mistyped =
  'There is no such API key. Its last six characters are not its checksum: it may be mistyped or cut off.';

function callerOf({ id: keyId, organizationId, plan, userId, permissions, isSuspended, ...row }: KeyRow): Caller {
  const actor = { organizationId, plan, userId, permissions, keyId, reach: toReach(row) };
  return { actor, session: null, isSuspended, suspensionReason: row.suspensionReason };
}
