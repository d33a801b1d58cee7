import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { uuidv7 } from '#core/lib/uuid.ts';
import { AppError, type ErrorDetails, type Issue, invalid, invalidFields } from '#core/errors/errors.ts';
import { OrganizationSuspended } from '#core/organizations/suspension.ts';
import { isStatementTimeout, isUnavailable } from '#db/connection/errors.ts';
import type { CommonHeaders } from './headers.ts';
import { issuesAfter, unreadBody } from './validation.ts';

const retryAfterSeconds = 2;
const tooSlow = 'This took the database too long; try again, with a narrower range or filter.';

type RouteOptions = Pick<FastifyRequest['routeOptions'], 'bodyLimit' | 'config'>;

interface ErrorsOptions {
  /** Where members of a suspended organization may ask: a URI. */
  supportContact: string | null;
}

/** Turns thrown errors into error bodies (1.2). An unforeseen error becomes a blank 500 and a log line with its cause. */
export const errors = fp(
  async (app: FastifyInstance, { supportContact }: ErrorsOptions) => {
    // Other expectations than 100-continue may be ignored (RFC 9110 §10.1.1); Node would answer 417.
    app.server.on('checkExpectation', (request, response) => app.routing(request, response));
    app.addHook('onRequest', async ({ headers, raw }) => {
      if (headers.host === undefined && raw.httpVersion === '1.1') throw invalid('', 'The header Host is missing.');
    });
    app.setErrorHandler(async (error: Error, request, reply) => {
      const shown = await withAllIssues(
        toAppError(error, request.routeOptions),
        (error as FastifyError).validationContext ?? (isAboutUnreadBody(error) ? unreadBody : undefined),
        request,
      );
      if (shown.status >= 500) request.log.error({ err: error }, 'the request failed');
      return sendError(shown, request, reply, shown instanceof OrganizationSuspended ? { supportContact } : {});
    });
    app.setNotFoundHandler((request, reply) =>
      sendError(new AppError('NOT_FOUND', 'There is no such path.'), request, reply),
    );
  },
  { name: 'errors', fastify: '5.x' },
);

/** Answers a malformed path, which Fastify refuses before routing, without running hooks. */
export function createRequestRefuser(
  commonHeaders: CommonHeaders,
): (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => void {
  return (error, request, reply) => {
    void reply.headers(commonHeaders).header('x-request-id', request.id);
    void sendError(toAppError(error), request, reply);
  };
}

/** Answers unreadable HTTP by 400, and closes the connection. */
export function createConnectionRefuser(
  log: Pick<FastifyBaseLogger, 'debug'>,
  commonHeaders: CommonHeaders,
): (error: Error & { code?: string }, socket: Socket) => void {
  return (error, socket) => {
    // The client has disconnected.
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const { code, message, details } = invalid('', connectionProblem(error.code));
    const requestId = uuidv7();
    log.debug({ requestId, reason: error.code }, 'what came was no HTTP');
    const body = JSON.stringify({ code, message, ...details, requestId });
    if (socket.writable) {
      socket.write(
        [
          'HTTP/1.1 400 Bad Request',
          ...Object.entries(commonHeaders).map(([name, value]) => `${name}: ${value}`),
          'content-type: application/json; charset=utf-8',
          `content-length: ${Buffer.byteLength(body)}`,
          `x-request-id: ${requestId}`,
          'connection: close',
          '',
          body,
        ].join('\r\n'),
      );
    }
    socket.destroySoon();
  };
}

/** Stands for CONNECT, for which Node hands out the bare connection. */
export const tunnelAsked = Object.assign(new Error('CONNECT is not served.'), { code: 'CONNECT' });

function connectionProblem(code: string | undefined): string {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return 'The headers are too large.';
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'The request took too long to arrive.';
    case tunnelAsked.code:
      return 'CONNECT is not served.';
    default:
      return 'The request is not HTTP/1.1 that can be read.';
  }
}

/** Seconds after which the caller of a call that failed may try again; undefined where that does not help. */
export function retryAfterOf(error: AppError): number | undefined {
  return error.retryAfterSeconds ?? (error.status === 503 ? retryAfterSeconds : undefined);
}

/** Tells the caller of a call that failed when to try again, where that helps. */
export function tellRetryAfter(error: AppError, reply: FastifyReply): void {
  const seconds = retryAfterOf(error);
  if (seconds !== undefined) void reply.header('retry-after', seconds);
}

function sendError(
  error: AppError,
  request: FastifyRequest,
  reply: FastifyReply,
  more: ErrorDetails = {},
): FastifyReply {
  tellRetryAfter(error, reply);
  const { code, message, details } = error;
  return reply
    .code(error.status)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({ code, message, ...details, ...more, requestId: request.id });
}

/** @param part of the request whose schema refused it; undefined: none did. */
async function withAllIssues(error: AppError, part: string | undefined, request: FastifyRequest): Promise<AppError> {
  if (part === undefined) return error;
  const all = [{ issues: [], moreIssues: 0, ...error.details }, ...(await issuesAfter(part, request))];
  return invalidFields(
    all.flatMap(({ issues }) => issues),
    all.reduce((sum, { moreIssues }) => sum + moreIssues, 0),
  );
}

/** Whether Fastify refused the body before it was parsed. */
const isAboutUnreadBody = (error: Error): boolean =>
  String((error as Partial<FastifyError>).code).startsWith('FST_ERR_CTP_');

/**
 * Maps a thrown error to the one that the caller gets; an unforeseen one becomes a blank 500.
 * @param route of the call, as far as it is known.
 */
export function toAppError(error: Error, route?: RouteOptions): AppError {
  if (error instanceof AppError) return error;
  const { code, statusCode } = error as Partial<FastifyError>;
  // The client left in the middle of its body. A lost connection to the database has the same code, and no status.
  if (code === 'ECONNRESET' && statusCode === 400) return invalid('', 'The body is cut off.');
  if (isStatementTimeout(error)) return new AppError('SERVICE_UNAVAILABLE', tooSlow);
  if (isUnavailable(error)) return new AppError('SERVICE_UNAVAILABLE');
  const issue = requestIssue(code, route);
  if (issue !== undefined) return invalid(issue.path, issue.message);
  if (statusCode === 404) return new AppError('NOT_FOUND');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return invalid('', error.message);
  return new AppError('INTERNAL_SERVER_ERROR');
}

/** Maps Fastify's own refusals, which come before the schemas. */
function requestIssue(code: string | undefined, route: RouteOptions | undefined): Issue | undefined {
  const bodyLimit = route?.bodyLimit;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return {
        path: '',
        message: `The body is too large${bodyLimit === undefined ? '' : `: it may have ${bodyLimit} bytes`}.`,
      };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return {
        path: '',
        message:
          route?.config.multipart === undefined
            ? 'The body must be sent as application/json.'
            : 'The body must be sent as multipart/form-data, with the file in a part "file".',
      };
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return { path: '', message: 'Content-Length does not fit the body.' };
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return { path: '', message: 'The path is not valid.' };
    default:
      return undefined;
  }
}
