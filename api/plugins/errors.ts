import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { AppError, type Issue, invalid } from '../../core/errors.ts';

// Connections refused, reset or ended by the server, and a pool that could not get one in time.
const databaseAway = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', '57P01', '57P02', '57P03', '53300']);
const retryAfterSeconds = 2;

/** Turns whatever was thrown into the flat error body; what nobody foresaw is a blank 500 and a log line. */
export const errors = fp(
  async (app: FastifyInstance) => {
    app.setErrorHandler((error: Error, request, reply) => {
      const shown = toAppError(error);
      if (shown.status >= 500) request.log.error({ err: error }, 'the request failed');
      return sendError(shown, request, reply);
    });
    app.setNotFoundHandler((request, reply) =>
      sendError(new AppError('NOT_FOUND', 'There is no such path.'), request, reply),
    );
  },
  { name: 'errors', fastify: '5.x' },
);

function sendError(error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error.status === 503) void reply.header('retry-after', retryAfterSeconds);
  const { code, message, details } = error;
  return reply
    .code(error.status)
    .type('application/json; charset=utf-8')
    .serializer(JSON.stringify)
    .send({ code, message, ...details, requestId: request.id });
}

function toAppError(error: Error): AppError {
  if (error instanceof AppError) return error;
  const { code, statusCode } = error as Partial<FastifyError>;
  if (isDatabaseAway(error, code)) return new AppError('SERVICE_UNAVAILABLE');
  const issue = requestIssue(code);
  if (issue !== undefined) return invalid(issue.path, issue.message);
  if (statusCode === 404) return new AppError('NOT_FOUND');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return invalid('', error.message);
  return new AppError('INTERNAL_SERVER_ERROR');
}

function isDatabaseAway(error: Error, code: string | undefined): boolean {
  return (
    (code !== undefined && databaseAway.has(code)) ||
    /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
      error.message,
    )
  );
}

/** What the framework refuses before a schema is asked. */
function requestIssue(code: string | undefined): Issue | undefined {
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return { path: '', message: 'The body is too large.' };
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return { path: '', message: 'The body must be sent as application/json.' };
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return { path: '', message: 'Content-Length does not fit the body.' };
    case 'FST_ERR_BAD_URL':
      return { path: '', message: 'The path is not valid.' };
    default:
      return undefined;
  }
}
