import { LRUCache } from 'lru-cache';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { cleanError, cleanText } from '#core/lib/text/clean-error.ts';

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

const warnLevel = 40;
const warnAgainAfterMs = 60_000;

/**
 * The log of a process, one JSON object a line. A warning that repeats is shown once a minute, with `repeats`: how often it was left out
 * since. Keys, cookies, bodies, passwords, visitors' addresses and query values must not be
 * logged; `secretFields` redacts the fields that are logged by mistake.
 */
export function createLog({ level, process: name, stream }: LogOptions): Logger {
  const takeRepeats = createRepeatFilter(warnAgainAfterMs);
  const options: LoggerOptions = {
    level,
    hooks: {
      logMethod(args, method, ofLevel) {
        if (ofLevel !== warnLevel) return method.apply(this, args);
        const [first, second] = args as unknown[];
        const details = typeof first === 'string' ? {} : first instanceof Error ? { err: first } : (first as object);
        const message = String(typeof first === 'string' ? first : second);
        const repeats = takeRepeats(message, { ...details });
        if (repeats === 0) method.apply(this, args);
        else if (repeats !== undefined) method.apply(this, [{ ...details, repeats }, message]);
      },
    },
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
  return pino(options, stream ?? createStandardOutput());
}

/** Standard output; a broken pipe, as of `node server.ts | head -5`, stops the process as SIGTERM does. */
function createStandardOutput(): DestinationStream {
  // What is still to be written at the exit would be tried for ever on a broken pipe (sonic-boom 4.2.1): each line is written at once.
  const output = pino.destination({ fd: 1, sync: true });
  output.on('error', (error: NodeJS.ErrnoException) => {
    // pino writes nothing more from here on.
    if (error.code === 'EPIPE') process.kill(process.pid, 'SIGTERM');
  });
  return output;
}

interface Shown {
  untilMs: number;
  /** Times that it came since and was left out. */
  repeats: number;
}

// A log about more subjects than this within a minute shows some of them again.
const maxKeys = 1_000;

/**
 * Tells which messages repeat: one of the same text about the same subject within `everyMs` does. The subject is what the details name
 * by texts, as ids and addresses; the reason, numbers and lists may differ.
 * @returns of a message to show, how often it was left out before; undefined: it is left out.
 */
export function createRepeatFilter(
  everyMs: number,
  now: () => number = () => performance.now(),
): (message: string, details: Readonly<Record<string, unknown>>) => number | undefined {
  const shown = new LRUCache<string, Shown>({ max: maxKeys });
  return (message, { reason: _reason, requestId: _requestId, ...details }) => {
    const subject = Object.entries(details).filter(([, value]) => typeof value === 'string');
    const key = JSON.stringify([message, subject]);
    const nowMs = now();
    // Without making it recent: the one that was shown longest ago goes first.
    const last = shown.peek(key);
    if (last !== undefined && nowMs < last.untilMs) {
      last.repeats += 1;
      return undefined;
    }
    shown.set(key, { untilMs: nowMs + everyMs, repeats: 0 });
    return last?.repeats ?? 0;
  };
}
