import type { Meter } from '#core/lib/meter.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { LoggedCall } from '#db/entities/calls.ts';
import { insertLoggedCalls } from '#db/request-log/request-log.ts';

export type RequestLog = ReturnType<typeof createRequestLog>;

interface RequestLogOptions {
  em: EntityManager;
  onError(error: unknown): void;
  meter: Meter;
}

const writeEveryMs = 1_000;
const rowsAtOnce = 500;
// What a database that is away, or late, may leave in memory: some 16 MB.
const mostRows = 5_000;
const mostCharacters = 8_000_000;
// Of one organization: a key may call five times a second, and a flood of refused calls must not push out those of others.
const rowsOfOne = 250;
const charactersOfOneInHour = 16_000_000;
const hourMs = 3_600_000;

const sizeOf = ({ requestBody, answerBody }: LoggedCall): number =>
  (requestBody?.length ?? 0) + (answerBody?.length ?? 0);

/** Writes calls in the background, some hundred at a time: no call waits for it. A process that is killed loses those of a second. */
export function createRequestLog({ em, onError, meter }: RequestLogOptions) {
  let waiting: LoggedCall[] = [];
  let characters = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let lost = 0;
  const rowsOf = new Map<string, number>();
  const charactersOf = new Map<string, number>();
  let hour = 0;
  meter.counter('waymark_api_unlogged_calls_total', 'Calls that the request log had no room for.', () => lost);

  /** The call as its organization's share of this hour allows it. */
  function withinShare(call: LoggedCall): LoggedCall {
    const present = Math.floor(call.at.getTime() / hourMs);
    if (present !== hour) charactersOf.clear();
    hour = present;
    const used = charactersOf.get(call.organizationId) ?? 0;
    const size = sizeOf(call);
    if (used + size > charactersOfOneInHour)
      return {
        ...call,
        requestBody: null,
        isRequestCut: call.requestBody !== null,
        answerBody: null,
        isAnswerCut: call.answerBody !== null,
      };
    charactersOf.set(call.organizationId, used + size);
    return call;
  }

  async function writeAll(): Promise<void> {
    rowsOf.clear();
    while (waiting.length > 0) {
      const rows = waiting.slice(0, rowsAtOnce);
      waiting = waiting.slice(rowsAtOnce);
      characters -= rows.reduce((sum, row) => sum + sizeOf(row), 0);
      await insertLoggedCalls(em, rows).catch((error: unknown) => {
        lost += rows.length;
        onError(error);
      });
    }
  }

  function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    return (writing ??= writeAll().finally(() => {
      writing = undefined;
    }));
  }

  return {
    /**
     * Adds a call, to be written within about a second. Where its organization has used up its share, it goes without bodies, or is
     * left out and not described.
     */
    add(organizationId: string, describe: () => LoggedCall): void {
      const rows = rowsOf.get(organizationId) ?? 0;
      if (rows >= rowsOfOne || waiting.length >= mostRows || characters >= mostCharacters) {
        lost += 1;
        return;
      }
      rowsOf.set(organizationId, rows + 1);
      const call = withinShare(describe());
      waiting.push(call);
      characters += sizeOf(call);
      if (waiting.length >= rowsAtOnce) void write();
      else timer ??= setTimeout(() => void write(), writeEveryMs).unref();
    },
    /** Writes what was added. */
    async flush(): Promise<void> {
      await writing;
      await write();
    },
  };
}
