import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { onAnswered } from '#api/plugins/telemetry/answered.ts';
import { AppError } from '#core/errors/errors.ts';
import { timeOfId } from '#core/lib/uuid.ts';
import type { Actor } from '#core/audit/actor.ts';
import { createMask, type Mask, maskKnown, maskWritten } from '#core/request-log/mask.ts';
import type { LoggedCall } from '#db/entities/calls.ts';
import type { RequestLog } from './request-log.ts';
import { secretNamesOf } from './secret-names.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the request log leaves out calls of the route. */
    isUnlogged?: true;
    /** Masks bodies of the route; answers are parsed for it only where one of their schemas has a secret. */
    masking?: { mask: Mask; masksAnswers: boolean };
    /** The path of the route as /doc has it. */
    pathInDoc?: string;
  }
  interface FastifyRequest {
    /** The answer before it is compressed; null: it is no text. */
    answerText: string | null;
  }
}

// Some 8 KiB.
const mostCharacters = 8_192;
const mostOfUrl = 2_000;

/**
 * Hands every call of a known organization to the request log (12.9): by key or session, refused ones too, but neither the internal
 * tools nor views by staff. Fields that a schema of the route declares as secret are masked; of paths under /auth/ no bodies are kept, and of files
 * type and size alone.
 */
export const requestLog = fp(
  async (app: FastifyInstance, { log }: { log: RequestLog | undefined }) => {
    if (log === undefined) return;
    app.decorateRequest('answerText', null);
    const known = new WeakMap<object, readonly string[]>();
    const plainMask = createMask(new Set());

    app.addHook('onRoute', (route) => {
      route.config = { ...route.config, pathInDoc: route.url.replaceAll(/:(\w+)/g, '{$1}') };
      if (route.url.startsWith('/auth/')) return;
      const { body, response } = route.schema ?? {};
      const answered = secretNamesOf(response, known);
      const names = [...answered, ...secretNamesOf(body, known)];
      const mask = names.length === 0 ? plainMask : createMask(new Set(names));
      route.config = { ...route.config, masking: { mask, masksAnswers: answered.length > 0 } };
    });
    app.addHook('onSend', (request, _reply, payload, done) => {
      if (typeof payload === 'string') request.answerText = payload;
      done(null, payload);
    });
    onAnswered(app, (request, reply) => {
      const { caller, routeOptions } = request;
      if (caller === undefined || caller instanceof AppError || caller.session?.isViewing === true) return;
      const { access, isUnlogged = false } = routeOptions.config;
      if (isUnlogged || access === 'staff') return;
      const { actor } = caller;
      log.add(actor.organizationId, () => describe(request, reply, actor));
    });

    function describe(
      request: FastifyRequest,
      reply: FastifyReply,
      { organizationId, userId, keyId }: Actor,
    ): LoggedCall {
      const { id, method, routeOptions, url } = request;
      // An answer to HEAD is its headers.
      const answerText = method === 'HEAD' ? null : request.answerText;
      const start = url.indexOf('?');
      const path = start === -1 ? url : url.slice(0, start);
      const { masking, pathInDoc = null } = routeOptions.config;
      // There is none under /auth/, and for a path that is not there.
      const sent = masking && writeBody(request.sentBody, masking.mask);
      const answer = masking && answerText !== null ? writeAnswer(answerText, masking) : undefined;
      return {
        organizationId,
        id,
        at: new Date(timeOfId(id)),
        method,
        route: pathInDoc,
        path: clean(path.split('/').map(maskWritten).join('/'), mostOfUrl),
        query: start === -1 ? null : clean(plainMask.maskQuery(url.slice(start + 1)), mostOfUrl),
        status: reply.statusCode,
        code: reply.statusCode < 400 || answerText === null ? null : codeOf(answerText),
        userId,
        keyId: keyId ?? null,
        latencyMs: Math.round(reply.elapsedTime * 10) / 10,
        requestType: typeOf(request.headers['content-type']),
        requestBytes: bytesOf(request.headers['content-length']),
        requestBody: sent?.text ?? null,
        isRequestCut: sent?.isCut ?? false,
        answerType: typeOf(reply.getHeader('content-type')),
        answerBytes: answerText === null ? bytesOf(reply.getHeader('content-length')) : Buffer.byteLength(answerText),
        answerBody: answer?.text ?? null,
        isAnswerCut: answer?.isCut ?? false,
      };
    }
  },
  { name: 'request-log', fastify: '5.x' },
);

interface Written {
  text: string;
  isCut: boolean;
}

function writeBody(body: unknown, mask: Mask): Written | undefined {
  if (body === undefined) return undefined;
  const { text, isWhole } = mask.json(body, mostCharacters);
  return { text: clean(text, mostCharacters), isCut: !isWhole || text.length > mostCharacters };
}

function writeAnswer(text: string, { mask, masksAnswers }: { mask: Mask; masksAnswers: boolean }): Written | undefined {
  if (masksAnswers) return writeBody(JSON.parse(text), mask);
  return { text: clean(maskKnown(text.slice(0, mostCharacters)), mostCharacters), isCut: text.length > mostCharacters };
}

/** The beginning of a text as PostgreSQL can hold it. */
const clean = (text: string, most: number): string => text.slice(0, most).replaceAll('\u0000', '').toWellFormed();

function codeOf(text: string): string | null {
  return /^\{"code":"(\w+)"/.exec(text)?.[1] ?? null;
}

/** A media type without its parameters. */
function typeOf(header: unknown): string | null {
  return typeof header === 'string' ? clean(header.split(';', 1)[0]!.trim(), 100) : null;
}

function bytesOf(header: unknown): number | null {
  const bytes = Number(header);
  return header === undefined || !Number.isSafeInteger(bytes) || bytes > 2 ** 31 - 1 ? null : bytes;
}
