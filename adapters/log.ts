import { type DestinationStream, type Logger, pino } from 'pino';
import { cleanError, cleanText } from '#core/lib/clean-error.ts';

interface LogOptions {
  level: string;
  /** Name of the process in each line: api, edge or worker. */
  process: string;
  /** Default: standard output. */
  stream?: DestinationStream;
}

// A safety net: fields of these names are redacted at the top level and one level below.
const secretFields = [
  'apiKey',
  'authorization',
  'body',
  'cookie',
  'email',
  'headers',
  'ip',
  'key',
  'params',
  'parameters',
  'password',
  'payload',
  'query',
  'remoteAddress',
  'secret',
  'slug',
  'token',
  'url',
];

/**
 * The log of a process, one JSON object a line. Keys, cookies, bodies, passwords, visitors' addresses and query values must not be
 * logged (12.3); `secretFields` redacts the fields that are logged by mistake.
 */
export function createLog({ level, process: name, stream }: LogOptions): Logger {
  const options = {
    level,
    base: { process: name },
    redact: { paths: secretFields.flatMap((field) => [field, `*.${field}`]), censor: '[redacted]' },
    serializers: {
      err: cleanError,
      error: cleanError,
      reason: (reason: unknown) => (typeof reason === 'string' ? cleanText(reason) : cleanError(reason)),
      // Fastify logs requests and replies under these names.
      req: (request: { method?: string }) => ({ method: request.method }),
      res: (reply: { statusCode?: number }) => ({ status: reply.statusCode }),
    },
  };
  return stream === undefined ? pino(options) : pino(options, stream);
}
