import type { FastifyReply, FastifyRequest } from 'fastify';
import { tellRetryAfter, toAppError } from '#api/plugins/errors.ts';

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

function read(thrown: Error, request: FastifyRequest, reply: FastifyReply): OauthError {
  const shown = toAppError(thrown, request.routeOptions.bodyLimit);
  if (shown.status >= 500) request.log.error({ err: thrown }, 'the request failed');
  tellRetryAfter(shown, reply);
  void reply.code(shown.status);
  return { error: codeOf(shown.status), error_description: shown.message };
}

function codeOf(status: number): string {
  if (status === 429 || status === 503) return 'temporarily_unavailable';
  return status >= 500 ? 'server_error' : 'invalid_request';
}
