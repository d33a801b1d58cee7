import { initTRPC } from '@trpc/server';
import { recordAction, recordRead, type StaffAction } from '#commands/organizations/audit.ts';
import { isObject } from '#core/lib/is-object.ts';
import type { Database, Transaction, TransactionOptions } from '#db/connection/database.ts';
import { errorOfCall, shapeError } from './errors.ts';

/** What every procedure knows of its call: who of the staff makes it. */
export interface CallContext {
  db: Database;
  clock(): Date;
  userId: string;
  /** That of the header X-Request-Id. */
  requestId: string;
}

/** What a change answers, and what the audit log is told of it. */
export interface Change<Answer> extends Omit<StaffAction, 'userId' | 'action' | 'details'> {
  answer: Answer;
  /** More of what was asked for, without secrets. */
  details?: Record<string, unknown>;
}

const trpc = initTRPC.context<CallContext>().create({
  isDev: false,
  errorFormatter: ({ error, path, ctx }) => shapeError(errorOfCall(error), { path, requestId: ctx?.requestId }),
});

/** Makes a router of procedures. */
export const { router } = trpc;

/** A procedure that reads nothing of customers: it leaves no row in the audit log. */
export const readingSystem = trpc.procedure;

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A procedure that reads data of customers. It answers only once the audit log has noted who looked at what. */
export const reading = trpc.procedure.use(async ({ ctx, path: action, getRawInput, next }) => {
  const result = await next();
  if (!result.ok) return result;
  const input = await getRawInput();
  const asked = (field: string): string | undefined => {
    const value = isObject(input) ? (input as Record<string, unknown>)[field] : undefined;
    return typeof value === 'string' ? value.trim() || undefined : undefined;
  };
  const idOf = (field: string): string | null => asked(field)?.match(uuid)?.[0] ?? null;
  const { db, clock, userId } = ctx;
  const read = { userId, action, organizationId: idOf('organizationId'), subjectId: idOf('id') };
  await recordRead(db, { ...read, search: asked('search') }, { now: clock() });
  return result;
});

/** A procedure that changes something: by `ctx.change`, which tells the audit log in the same transaction. */
export const changing = trpc.procedure.use(({ ctx, path: action, next }) => {
  const { db, clock, userId } = ctx;
  const change = <Answer>(
    work: (tx: Transaction, options: { now: Date }) => Promise<Change<Answer>>,
    transactionOptions?: TransactionOptions,
  ): Promise<Answer> =>
    db.transaction(async (tx) => {
      const now = clock();
      const { answer, organizationId, subjectId, details = {} } = await work(tx, { now });
      await recordAction(tx, { userId, action, organizationId, subjectId, details }, { now });
      return answer;
    }, transactionOptions);
  return next({ ctx: { change } });
});
