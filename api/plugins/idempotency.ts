import { createHash, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { AppError, invalid, tooMany } from '#core/errors/errors.ts';
import { isObject } from '#core/lib/is-object.ts';
import { rowContext, type Sealing } from '#core/secrets/sealing.ts';
import { countCharacters } from '#core/lib/schemas.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import {
  claimCall,
  freeCall,
  type IdempotentCall,
  noteMade,
  readCall,
  secondsUntilRoom,
  storeAnswer,
} from '#db/idempotency.ts';

import { invalidHeader } from './validation.ts';

/** What a route sees of its Idempotency-Key. */
interface IdempotentRun {
  /** What an earlier attempt recorded by `made` before its process died; null: nothing. The route presents it and changes nothing. */
  readonly earlier: unknown;
  /**
   * Records the result of the command in its transaction: an id, or any JSON value.
   * @throws AppError ALREADY_EXIST when another attempt has taken over; the transaction must not commit then.
   */
  made(em: EntityManager, made: string | object): Promise<void>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null without an Idempotency-Key. */
    idempotent: (IdempotentRun & { call: IdempotentCall; claim: string }) | null;
  }
}

/**
 * Runs a change in a transaction, once for an Idempotency-Key.
 * @param change returns the id of what it made, or any JSON value.
 * @returns that; where an earlier attempt of the call has recorded it, no change runs.
 */
export async function once<Made extends string | object>(
  { em, idempotent }: Pick<FastifyRequest, 'em' | 'idempotent'>,
  change: (em: EntityManager) => Promise<Made>,
): Promise<Made> {
  if (idempotent?.earlier) return idempotent.earlier as Made;
  return em.transactional(async (em) => {
    const made = await change(em);
    await idempotent?.made(em, made);
    return made;
  });
}

interface IdempotencyOptions {
  /** Answers are sealed at rest: they may hold a secret that is shown once. */
  sealing: Sealing;
  em: EntityManager;
}

/** The stored part of an answer; its status has a column of its own. */
interface KeptAnswer {
  requestId: string;
  type: string;
  etag?: string;
  body: string;
}

const maxKeyLength = 255;
// A claim expires after this time (db/idempotency.ts), so writing its outcome later is of no use.
const claimedForMs = 60_000;
const retryEveryMs = 500;
// Calls take less; one that died frees its key after a minute.
const repeatAfterSeconds = 2;
const sealPurpose = 'idempotency';
export const replayedHeader = 'idempotency-replayed';
/** Header of a replayed answer: the `X-Request-Id` of the first call. */
const originalHeader = 'idempotency-original-request-id';
// These answers depend on the caller's state, not on the call.
const forgotten = new Set([401, 429]);
const noRoom =
  'The stored answers to calls with an Idempotency-Key fill the 1 GiB of this organization: wait, or send calls without one.';
const takesKey = new Set(['POST', 'PUT']);

/**
 * `Idempotency-Key` on every POST and PUT with a key (1.8). The first answer is kept for 24 hours and replayed for the same caller and
 * body. Another body or caller is refused, and so is a second call while the first one runs. A 5xx frees the key.
 */
export const idempotency = fp(
  async (app: FastifyInstance, { em, sealing }: IdempotencyOptions) => {
    app.decorateRequest('idempotent', null);
    const closing = new AbortController();
    const underWay = new Set<Promise<void>>();

    /**
     * Stores the outcome of a call. On failure it retries in the background, so that the client's next attempt need not wait until
     * the claim expires.
     */
    async function conclude(write: () => Promise<void>, log: FastifyBaseLogger): Promise<void> {
      try {
        await track(write());
      } catch (error) {
        log.warn({ err: error }, 'the outcome of an idempotent call could not be stored yet');
        void track(untilWritten(write, closing.signal));
      }
    }

    function track(work: Promise<void>): Promise<void> {
      const done = work.finally(() => underWay.delete(done));
      underWay.add(done);
      return done;
    }

    app.addHook('preValidation', async (request, reply) => {
      const key = request.headers['idempotency-key'];
      const { access } = request.routeOptions.config;
      // Only routes that keys may call: paths under /auth/ take no key.
      if (key === undefined || !takesKey.has(request.method) || typeof access !== 'object') return;
      if (typeof key !== 'string' || key === '' || countCharacters(key) > maxKeyLength) {
        throw await invalidHeader(request, 'Idempotency-Key', `must have 1 to ${maxKeyLength} characters`);
      }
      const { organizationId, userId, keyId } = request.actor;
      const caller = keyId === undefined ? `user:${userId}` : `key:${keyId}`;
      const call = { organizationId, route: request.routeOptions.url ?? '', key, caller };
      const claim = randomUUID();
      const fingerprint = fingerprintOf(request);
      const claimed = await claimCall(em.fork(), call, { claim, fingerprint }).catch(async (error: unknown) => {
        // The claim may have been committed although its answer was lost.
        await conclude(() => freeCall(em.fork(), claim, call), request.log);
        throw error;
      });
      if (claimed === undefined) return replay(call, fingerprint, reply);
      request.idempotent = {
        call,
        claim,
        earlier: claimed.made,
        async made(em, made) {
          if (await noteMade(em, claim, call, made)) return;
          throw stillRunning('Another call with this Idempotency-Key has taken over.');
        },
      };
    });

    app.addHook('onSend', async (request, reply, payload) => {
      // Undefined on routes registered before this plugin.
      if (!request.idempotent || reply.hasHeader(replayedHeader)) return payload;
      const { call, claim } = request.idempotent;
      const { statusCode: status } = reply;
      if (status >= 500 || forgotten.has(status) || typeof payload !== 'string') {
        await conclude(() => freeCall(em.fork(), claim, call), request.log);
      } else {
        const type = String(reply.getHeader('content-type'));
        const etag = reply.getHeader('etag');
        const kept: KeptAnswer = {
          requestId: request.id,
          type,
          body: payload,
          ...(etag === undefined ? {} : { etag: String(etag) }),
        };
        const answer = sealing.seal(sealPurpose, JSON.stringify(kept), contextOf(call));
        await conclude(() => storeAnswer(em.fork(), claim, call, { status, answer }), request.log);
      }
      return payload;
    });

    app.addHook('onClose', async () => {
      closing.abort();
      await Promise.allSettled(underWay);
    });

    async function replay(call: IdempotentCall, fingerprint: Buffer, reply: FastifyReply): Promise<FastifyReply> {
      const row = await readCall(em.fork(), call);
      if (row === null) {
        const seconds = await secondsUntilRoom(em.fork(), call.organizationId, new Date());
        if (seconds !== undefined) throw tooMany(noRoom, seconds);
        // The key was freed since. The client retries as if the first call were running.
        throw stillRunning();
      }
      // The answer may hold data, even a secret, that this caller may not see.
      if (row.caller !== call.caller) {
        throw keyInUse('This Idempotency-Key was used by another caller.');
      }
      if (!fingerprint.equals(row.fingerprint)) {
        throw keyInUse('This Idempotency-Key was used with another path, query or body.');
      }
      if (typeof row.status !== 'number' || !row.answer) {
        throw stillRunning();
      }
      const kept = JSON.parse(sealing.open(sealPurpose, row.answer, contextOf(call)).toString()) as KeptAnswer;
      return reply
        .code(row.status)
        .headers({
          [replayedHeader]: 'true',
          [originalHeader]: kept.requestId,
          'content-type': kept.type,
          ...(kept.etag === undefined ? {} : { etag: kept.etag }),
        })
        .serializer(String)
        .send(row.status < 400 ? kept.body : JSON.stringify({ ...JSON.parse(kept.body), requestId: reply.request.id }));
    }
  },
  { name: 'idempotency', fastify: '5.x', dependencies: ['access'] },
);

const keyInUse = (message: string): AppError => new AppError('ALREADY_EXIST', message, { reason: 'idempotency-key' });

/** The same call can be sent again: it is answered when the first one has ended. */
function stillRunning(message = 'A call with this Idempotency-Key is still running.'): AppError {
  return new AppError('ALREADY_EXIST', message, { reason: 'still-running' }, repeatAfterSeconds);
}

/** Retries until the write succeeds, the claim has expired or `signal` is aborted. */
async function untilWritten(write: () => Promise<void>, signal: AbortSignal): Promise<void> {
  const deadlineMs = Date.now() + claimedForMs;
  for (;;) {
    await setTimeout(retryEveryMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted || Date.now() > deadlineMs) return;
    try {
      return await write();
    } catch {
      // The first failure was logged.
    }
  }
}

function contextOf({ organizationId, route, key }: IdempotentCall): string {
  return rowContext(organizationId, route, key);
}

/** Hash of path, query and body; the order of object members does not count (RFC 8259 §4). */
function fingerprintOf(request: FastifyRequest): Buffer {
  return createHash('sha256').update(textOf(request)).digest();
}

const byName = ([one]: [string, unknown], [other]: [string, unknown]): number => (one < other ? -1 : 1);

function textOf({ url, body }: FastifyRequest): string {
  try {
    return JSON.stringify([url, body ?? null], (_name, value: unknown) =>
      isObject(value) ? Object.fromEntries(Object.entries(value).toSorted(byName)) : value,
    );
  } catch (error) {
    // JSON.parse reads any depth; JSON.stringify overflows the stack.
    if (error instanceof RangeError) throw invalid('', 'The body is nested too deeply.');
    throw error;
  }
}
