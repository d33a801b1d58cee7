import { type DestinationStream, type Logger, pino } from 'pino';
import { cleanError, cleanText } from '#core/lib/clean-error.ts';

interface LogOptions {
  level: string;
  /** Which process speaks: api, edge or worker. */
  process: string;
  /** Where lines go; standard output by default. */
  stream?: DestinationStream;
}

// Whoever logs one of these by mistake logs a word in its place. Named at the top and one level below it.
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
 * Makes the log of a process: one JSON object a line. Keys, cookies, bodies, passwords, visitors' addresses and query values
 * do not belong into it (12.3), and the net below takes out what gets there all the same.
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
      // What the framework logs of its own accord.
      req: (request: { method?: string }) => ({ method: request.method }),
      res: (reply: { statusCode?: number }) => ({ status: reply.statusCode }),
    },
  };
  return stream === undefined ? pino(options) : pino(options, stream);
}
