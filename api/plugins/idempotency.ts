import { createHash, randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { AppError, invalid } from '../../core/errors.ts';
import { rowContext, type Sealing } from '../../core/sealing.ts';
import { countCharacters } from '../../core/text.ts';
import type { Database, Sql } from '../../db/database.ts';
import { claimCall, freeCall, type IdempotentCall, noteMade, readCall, storeAnswer } from '../../db/idempotency.ts';

/** A call under an Idempotency-Key, as its route sees it. */
export interface IdempotentRun {
  /** The id of what an earlier attempt that died had made already: it is to be presented, and nothing made again. */
  readonly resourceId: string | null;
  /** What an earlier attempt noted that was no id. */
  readonly results: unknown;
  /**
   * Notes what the command makes, in its transaction: an id, or anything that JSON can hold.
   * @throws AppError ALREADY_EXIST when another attempt has taken over; the transaction must not commit then.
   */
  made(tx: Sql, made: unknown): Promise<void>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set where the call bears an Idempotency-Key. */
    idempotent: (IdempotentRun & { call: IdempotentCall; claim: string }) | null;
  }
}

/** Settings of `idempotency`. */
export interface IdempotencyOptions {
  db: Database;
  /** Answers are sealed at rest: they may hold a secret that is shown once. */
  sealing: Sealing;
}

/** What is kept of an answer, beside its status. */
interface KeptAnswer {
  requestId: string;
  type: string;
  body: string;
}

const maxKeyLength = 255;
const sealPurpose = 'idempotency';
/** Header of an answer that was given before. */
export const replayedHeader = 'idempotency-replayed';
// Those that say nothing of the call itself.
const forgotten = new Set([401, 429]);

/**
 * `Idempotency-Key` on every POST with a key (1.8): the first answer is kept for 24 hours and given again to the same key
 * and body, another body is refused, and so is a key whose first call is still running. A 5xx frees the key.
 */
export const idempotency = fp(
  async (app: FastifyInstance, { db, sealing }: IdempotencyOptions) => {
    app.decorateRequest('idempotent', null);

    app.addHook('preValidation', async (request, reply) => {
      const key = request.headers['idempotency-key'];
      const { access } = request.routeOptions.config;
      // Only routes that a key may call: what is under /auth/ takes none.
      if (key === undefined || request.method !== 'POST' || typeof access !== 'object') return;
      if (typeof key !== 'string' || key === '' || countCharacters(key) > maxKeyLength) {
        throw invalid('Idempotency-Key', `must have 1 to ${maxKeyLength} characters`);
      }
      const call = { organizationId: request.actor.organizationId, route: request.routeOptions.url ?? '', key };
      const claim = randomUUID();
      const fingerprint = fingerprintOf(request);
      const claimed = await claimCall(db, call, { claim, fingerprint });
      if (claimed === undefined) return replay(call, fingerprint, reply);
      request.idempotent = {
        call,
        claim,
        resourceId: typeof claimed.made === 'string' ? claimed.made : null,
        results: typeof claimed.made === 'string' ? null : claimed.made,
        async made(tx, made) {
          if (await noteMade(tx, claim, call, made)) return;
          throw new AppError('ALREADY_EXIST', 'Another call with this Idempotency-Key has taken over.');
        },
      };
    });

    app.addHook('onSend', async (request, reply, payload) => {
      // Undefined on routes that came before this plugin.
      if (!request.idempotent || reply.hasHeader(replayedHeader)) return payload;
      const { call, claim } = request.idempotent;
      const { statusCode: status } = reply;
      try {
        if (status >= 500 || forgotten.has(status) || typeof payload !== 'string') await freeCall(db, claim, call);
        else {
          const kept: KeptAnswer = {
            requestId: request.id,
            type: String(reply.getHeader('content-type')),
            body: payload,
          };
          const answer = sealing.seal(sealPurpose, JSON.stringify(kept), contextOf(call));
          await storeAnswer(db, claim, call, { status, answer });
        }
      } catch (error) {
        // The answer stands; whoever asks again finds the claim, and what was made, after a minute.
        request.log.warn({ err: error }, 'the answer of an idempotent call could not be kept');
      }
      return payload;
    });

    async function replay(call: IdempotentCall, fingerprint: Buffer, reply: FastifyReply): Promise<FastifyReply> {
      const row = await readCall(db, call);
      // Freed since: as good as running, and the client tries again.
      if (row === undefined) throw new AppError('ALREADY_EXIST', 'A call with this Idempotency-Key is still running.');
      if (!row.fingerprint.equals(fingerprint)) {
        throw new AppError('ALREADY_EXIST', 'This Idempotency-Key was used with another body.');
      }
      if (row.status === null || row.answer === null) {
        throw new AppError('ALREADY_EXIST', 'A call with this Idempotency-Key is still running.');
      }
      const kept = JSON.parse(sealing.open(sealPurpose, row.answer, contextOf(call)).toString()) as KeptAnswer;
      return reply
        .code(row.status)
        .headers({ [replayedHeader]: 'true', 'x-request-id': kept.requestId, 'content-type': kept.type })
        .serializer(String)
        .send(kept.body);
    }
  },
  { name: 'idempotency', fastify: '5.x', dependencies: ['auth'] },
);

function contextOf({ organizationId, route, key }: IdempotentCall): string {
  return rowContext(organizationId, route, key);
}

/** Two calls are the same when path, query and body are. */
function fingerprintOf(request: FastifyRequest): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([request.url, request.body ?? null]))
    .digest();
}
