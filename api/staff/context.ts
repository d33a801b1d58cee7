import { initTRPC } from '@trpc/server';
import { recordAction, recordRead, type AuditAction } from '#commands/organizations/audit.ts';
import { isObject } from '#core/lib/is-object.ts';
import type { Actor } from '#core/audit/actor.ts';
import { permissionsOf } from '#core/organizations/permissions.ts';
import type { Database, TransactionOptions } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import type { SessionRow } from '#db/accounts/sessions.ts';
import { Organization } from '#db/entities/accounts/people.ts';
import { requireConfirmed } from '#api/plugins/caller/access.ts';
import { errorOfCall, shapeError } from './errors.ts';
import { isUuid } from '#core/lib/uuid.ts';

export interface CallContext {
  db: Database;
  /** The entity manager of this call alone. */
  em: EntityManager;
  clock(): Date;
  userId: string;
  session: SessionRow;
  /** The value of the header X-Request-Id. */
  requestId: string;
}

/** The answer of a changing procedure, and its audit row. */
interface Change<Answer> extends Omit<AuditAction, 'caller' | 'userId' | 'action' | 'details'> {
  answer: Answer;
  /** More of the input for the audit row, without secrets. */
  details?: Record<string, unknown>;
}

const trpc = initTRPC.context<CallContext>().create({
  isDev: false,
  errorFormatter: ({ error, path, ctx }) => shapeError(errorOfCall(error), { path, requestId: ctx?.requestId }),
});

export const { router } = trpc;

/** Procedures that read no customer data and leave no row in the audit log. */
export const readingSystem = trpc.procedure;

/** Procedures that read customer data. The audit row is written before the answer goes out. */
export const reading = trpc.procedure.use(async ({ ctx, path: action, getRawInput, next }) => {
  const result = await next();
  if (!result.ok) return result;
  const input = await getRawInput();
  const inputText = (field: string): string | undefined => {
    const value = isObject(input) ? (input as Record<string, unknown>)[field] : undefined;
    return typeof value === 'string' ? value.trim() || undefined : undefined;
  };
  const idOf = (field: string): string | null => {
    const id = inputText(field);
    return id !== undefined && isUuid(id) ? id : null;
  };
  const { em, clock, userId } = ctx;
  const [organizationId, subjectId] = [idOf('organizationId'), idOf('id')];
  const organizationIds = organizationId === null ? organizationsIn(result.data, action) : [organizationId];
  const isAcross = organizationId === null && subjectId === null;
  const read = { userId, action, organizationIds, isAcross, subjectId, search: inputText('search') };
  await recordRead(em, read, clock());
  return result;
});

/** Organizations whose data an answer has, which may be in its items and in theirs. */
function organizationsIn(answer: unknown, action: string): string[] {
  const found = new Set<string>();
  const add = (id: unknown): void => void (typeof id === 'string' && found.add(id));
  const look = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) look(item);
    if (!isObject(value)) return;
    const { id, organizationId, organizationIds, items, memberships } = value as Record<string, unknown>;
    add(organizationId);
    if (Array.isArray(organizationIds)) for (const one of organizationIds) add(one);
    if (action.startsWith('organizations.')) add(id);
    look(items);
    look(memberships);
  };
  look(answer);
  return [...found];
}

/**
 * Procedures that change how things run and neither delete, nor grant, nor take down, through `ctx.change`: it writes the audit row in the
 * same transaction.
 */
export const operating = trpc.procedure.use(({ ctx, path: action, next }) => {
  const { em, clock, userId } = ctx;
  const change = <Answer>(
    work: (em: EntityManager, options: { now: Date }) => Promise<Change<Answer>>,
    transactionOptions?: TransactionOptions,
  ): Promise<Answer> =>
    em.transactional(async (em) => {
      const now = clock();
      const { answer, organizationId, subjectId, details = {} } = await work(em, { now });
      await recordAction(em, { caller: 'staff', userId, action, organizationId, subjectId, details }, now);
      return answer;
    }, transactionOptions);
  return next({ ctx: { change } });
});

/** All other procedures that change data: the person has shown in the last 15 minutes that it is them. */
export const changing = operating.use(async ({ ctx, next }) => {
  await requireConfirmed(ctx.em, ctx.session, 'everyone');
  return next();
});

/**
 * An actor with an owner's permissions in an organization, so that staff run the commands of the API.
 * @throws AppError NOT_FOUND where the organization is gone.
 */
export async function actAsOwner(em: EntityManager, userId: string, organizationId: string): Promise<Actor> {
  const { plan } = await em.getRepository(Organization).get(organizationId);
  return { organizationId, plan, userId, permissions: permissionsOf('owner'), isStaff: true };
}
