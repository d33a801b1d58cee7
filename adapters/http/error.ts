/**
 * Why a request got no answer: `refused-address` (not public), `dns` (the name has no address), `connect` (refused, unreachable,
 * reset or closed), `tls` (certificate or handshake), `timeout` (the deadline), `aborted` (by the caller), `protocol` (malformed
 * HTTP).
 */
export type GuardedHttpErrorKind = 'refused-address' | 'dns' | 'connect' | 'tls' | 'timeout' | 'aborted' | 'protocol';

/** A request without answer. The message may be shown to the customer: it contains no internal address. */
export class GuardedHttpError extends Error {
  readonly kind: GuardedHttpErrorKind;
  /** The error code of Node, OpenSSL or the HTTP parser. */
  readonly code: string | undefined;

  constructor(kind: GuardedHttpErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GuardedHttpError';
    this.kind = kind;
    this.code = codeOf(options?.cause);
  }
}

/** The `code` of a system or library error. */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

const connectCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
  'EPIPE',
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'UND_ERR_SOCKET',
]);
const timeoutCodes = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT']);

/** Classifies an error while connecting; `isTls`: the connection includes a TLS handshake. */
export function connectError(error: Error, isTls: boolean): GuardedHttpError {
  if (error instanceof GuardedHttpError) return error;
  return common(error) ?? (isTls ? tlsError(error) : fail('connect', 'The connection failed', error));
}

/** Classifies an error on an open connection. */
export function answerError(error: Error): GuardedHttpError {
  if (error instanceof GuardedHttpError) return error;
  const code = codeOf(error) ?? '';
  if (/^ERR_(SSL|TLS)_/.test(code)) return tlsError(error);
  return common(error) ?? fail('protocol', 'The answer is not valid HTTP', error);
}

// What OpenSSL says of an answer that is no TLS, such as plain HTTP.
const noTlsCodes = new Set([
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_SSL_HTTP_REQUEST',
  'ERR_SSL_RECORD_LAYER_FAILURE',
]);

function tlsError(error: Error): GuardedHttpError {
  const isOther = noTlsCodes.has(codeOf(error) ?? '');
  return fail('tls', isOther ? 'The server speaks no TLS' : 'TLS failed', error);
}

function common(error: Error): GuardedHttpError | undefined {
  const code = codeOf(error) ?? '';
  if (connectCodes.has(code)) return fail('connect', connectMessage(code), error);
  return timeoutCodes.has(code) ? fail('timeout', 'The connection timed out', error) : undefined;
}

function connectMessage(code: string): string {
  if (code === 'ECONNREFUSED') return 'The connection was refused';
  if (code === 'UND_ERR_SOCKET') return 'The connection was closed before the answer was complete';
  return /^E(CONNRESET|PIPE|CONNABORTED)$/.test(code) ? 'The connection was reset' : 'The host cannot be reached';
}

function fail(kind: GuardedHttpErrorKind, what: string, error: Error): GuardedHttpError {
  const code = codeOf(error);
  return new GuardedHttpError(kind, code === undefined ? `${what}.` : `${what} (${code}).`, { cause: error });
}
