import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { retryAfterOf, tellRetryAfter, toAppError } from '#api/plugins/errors.ts';
import type { AppError } from '#core/errors/errors.ts';

interface OauthError {
  error: string;
  error_description: string;
}

/** Answers a program in the shape of OAuth (RFC 6749 §5.2), where the API refuses a call before the library has it. */
export function answerProgram(thrown: Error, request: FastifyRequest, reply: FastifyReply): void {
  void reply.send(read(thrown, request, reply));
}

/** Answers a person, whose browser opens the address. */
export function answerPerson(thrown: Error, request: FastifyRequest, reply: FastifyReply): void {
  void reply.type('text/plain; charset=utf-8').send(refusalText(read(thrown, request, reply)));
}

/** What a person reads of an error. */
export const refusalText = ({ error, error_description: description = '' }: Partial<OauthError>): string =>
  `This app cannot be connected: ${error}. ${description}\n`;

/**
 * Answers a call that found the database away so that its caller tries again, where the library told a failure of the server.
 * @returns the error that it then has; undefined for another failure.
 */
export function answerUnavailable(context: KoaContextWithOIDC, thrown: Error): OauthError | undefined {
  const shown = toAppError(thrown);
  if (shown.status !== 503) return undefined;
  context.status = shown.status;
  context.set('retry-after', String(retryAfterOf(shown)));
  return toOauthError(shown);
}

function read(thrown: Error, request: FastifyRequest, reply: FastifyReply): OauthError {
  const shown = toAppError(thrown, request.routeOptions);
  if (shown.status >= 500) request.log.error({ err: thrown }, 'the request failed');
  tellRetryAfter(shown, reply);
  void reply.code(shown.status);
  return toOauthError(shown);
}

const toOauthError = ({ status, message }: AppError): OauthError => ({
  error: codeOf(status),
  error_description: message,
});

function codeOf(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}
