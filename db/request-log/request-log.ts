import { callerName } from '#db/audit/caller-name.ts';
import { finished } from 'node:stream/promises';
import { sql } from 'kysely';
import { from as copyFrom } from 'pg-copy-streams';
import { copyField } from '#core/clicks/click.ts';
import { snakeCase } from '#core/lib/text/snake-case.ts';
import { firstIdAt } from '#core/lib/uuid.ts';
import { anyId } from '#db/any-of.ts';
import { clientOf } from '#db/connection/database.ts';
import { deleteSome } from '#db/connection/delete-some.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { containing, type Position } from '#db/connection/lists/paging.ts';
import { LoggedCall } from '#db/entities/calls.ts';

/** Which calls of an organization are listed. Undefined: any. */
interface LoggedCallQuery {
  /** The first and the last status. */
  statuses?: readonly [number, number] | undefined;
  method?: string | undefined;
  route?: string | undefined;
  caller?: 'key' | 'member' | undefined;
  keyId?: string | undefined;
  userId?: string | undefined;
  requestId?: string | undefined;
  /** A part of the path. */
  search?: string | undefined;
  since?: Date | undefined;
  /** Not included. */
  until?: Date | undefined;
  after?: Position | undefined;
  limit: number;
}

export type LoggedCallView = Awaited<ReturnType<typeof listLoggedCalls>>[number];

type Name = keyof typeof LoggedCall.properties;
const names = Object.keys(LoggedCall.properties) as Name[];

const copyStatement = `copy request_log (${names.map(snakeCase).join(', ')}) from stdin`;

// By hand: a COPY takes a third of the time of an INSERT (ADR 86); no benchmark runs it.
/** Inserts calls of organizations that are there. */
export async function insertLoggedCalls(em: EntityManager, calls: readonly LoggedCall[]): Promise<void> {
  await em.transactional(async (em) => {
    const ids = calls.map(({ organizationId }) => organizationId);
    const rows = await em.kysely.selectFrom('Organization').select('id').where('id', '=', anyId(ids)).execute();
    const present = new Set(rows.map(({ id }) => id));
    const stream = clientOf(em).query(copyFrom(copyStatement));
    stream.end(
      calls
        .filter(({ organizationId }) => present.has(organizationId))
        .map(toLine)
        .join(''),
    );
    await finished(stream);
  });
}

function toLine(call: LoggedCall): string {
  return `${names.map((name) => copyField(toText(call[name]))).join('\t')}\n`;
}

function toText(value: LoggedCall[Name]): string | null {
  if (value === null) return null;
  return value instanceof Date ? value.toISOString() : String(value);
}

/** Lists calls of an organization, the most recent first, without their bodies. */
export function listLoggedCalls(
  em: EntityManager,
  organizationId: string,
  { statuses, method, route, caller, keyId, userId, requestId, search, since, until, after, limit }: LoggedCallQuery,
) {
  let query = withCaller(em, organizationId).orderBy('c.id', 'desc').limit(limit);
  if (statuses !== undefined) query = query.where(({ between }) => between('c.status', ...statuses));
  if (method !== undefined) query = query.where('c.method', '=', method);
  if (route !== undefined) query = query.where('c.route', '=', route);
  if (caller !== undefined) query = query.where('c.keyId', caller === 'key' ? 'is not' : 'is', null);
  if (keyId !== undefined) query = query.where('c.keyId', '=', keyId);
  if (userId !== undefined) query = query.where('c.userId', '=', userId);
  if (requestId !== undefined) query = query.where('c.id', '=', requestId);
  if (search !== undefined) query = query.where('c.path', 'ilike', containing(search));
  // An id begins with its moment, and the rows are found by id.
  if (since !== undefined) query = query.where('c.id', '>=', firstIdAt(since.getTime()));
  if (until !== undefined) query = query.where('c.id', '<', firstIdAt(until.getTime()));
  if (after !== undefined) query = query.where('c.id', '<', after.id);
  return query.execute();
}

/** Finds a call of an organization, with its bodies. */
export function findLoggedCall(em: EntityManager, organizationId: string, id: string) {
  return withCaller(em, organizationId)
    .where('c.id', '=', id)
    .select(['c.requestBody', 'c.isRequestCut', 'c.answerBody', 'c.isAnswerCut'])
    .executeTakeFirst();
}

function withCaller(em: EntityManager, organizationId: string) {
  return (
    em.kysely
      .selectFrom('LoggedCall as c')
      .select([
        'c.id',
        'c.at',
        'c.method',
        'c.route',
        'c.path',
        'c.query',
        'c.status',
        'c.code',
        'c.keyId',
        'c.latencyMs',
      ])
      .select(['c.requestType', 'c.requestBytes', 'c.answerType', 'c.answerBytes'])
      // The alias keeps the name: the joined tables call this column `user`.
      .select('c.userId as callerId')
      .select(callerName('c', 'c.key_id is null').as('callerName'))
      .where('c.organizationId', '=', organizationId)
  );
}

/** Removes calls that came before a moment, `limit` at most. @returns whether there may be others. */
export async function forgetLoggedCalls(em: EntityManager, before: Date, limit: number): Promise<boolean> {
  // The blocks of old rows are found by an index of times.
  return (await deleteSome(em, 'LoggedCall', sql`at < ${before}`, limit)) === limit;
}
