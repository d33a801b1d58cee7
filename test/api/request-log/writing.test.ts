// @module-tag slow

import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { createRequestLog, type RequestLog } from '#api/request-log/request-log.ts';
import type { ReadSamples } from '#core/lib/meter.ts';
import { noMeter } from '#core/lib/meter.ts';
import type { Database } from '#db/connection/database.ts';
import type { LoggedCall } from '#db/entities/calls.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createOrganization } from '#test/support/factories.ts';
import { eventually } from '#test/support/eventually.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();

const callOf = (organizationId: string, fields: Partial<LoggedCall> = {}): LoggedCall => ({
  organizationId,
  id: uuidv7(),
  at: new Date(),
  method: 'POST',
  route: '/tag',
  path: '/tag',
  query: null,
  status: 201,
  code: null,
  userId: uuidv7(),
  keyId: null,
  latencyMs: 1.5,
  requestType: 'application/json',
  requestBytes: 2,
  requestBody: '{}',
  isRequestCut: false,
  answerType: 'application/json',
  answerBytes: 2,
  answerBody: '{}',
  isAnswerCut: false,
  ...fields,
});

const of = (id: string, fields: Partial<LoggedCall> = {}) => [id, () => callOf(id, fields)] as const;

/** A log, with its errors and the number of calls that it lost. */
function openLog(database: Database = db) {
  const errors: unknown[] = [];
  let read: ReadSamples = () => Number.NaN;
  const meter = { ...noMeter, counter: (_name: string, _help: string, samples: ReadSamples) => (read = samples) };
  const log: RequestLog = createRequestLog({
    em: emOf(database),
    onError: (error) => errors.push(error),
    meter,
  });
  return { log, errors, lost: async () => read() };
}

const countOf = async (organizationId: string): Promise<number> => {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from request_log where organization_id = $1',
    [organizationId],
  );
  return rows[0]!.count;
};

describe('the writing of the request log', () => {
  it('writes a call by itself within moments', async () => {
    const { id } = await createOrganization(db);
    openLog().log.add(...of(id));
    expect(
      await eventually(
        () => countOf(id),
        (count) => count > 0,
      ),
    ).toBe(1);
  });

  it('writes any text, and leaves out calls of organizations that are gone', async () => {
    const { id } = await createOrganization(db);
    const { log, errors } = openLog();
    const answerBody = String.raw`{"a":"\u0000\ud83c"}` + ' "🌸 \\ \n ’';
    log.add(...of(id, { answerBody, query: "x='$1" }));
    log.add(...of(uuidv7()));
    await log.flush();
    expect(errors).toEqual([]);
    const { rows } = await db.query('select answer_body, query from request_log where organization_id = $1', [id]);
    expect(rows).toEqual([{ answer_body: answerBody, query: "x='$1" }]);
    expect(
      (await db.query('select from request_log where organization_id not in (select id from organizations)')).rowCount,
    ).toBe(0);
  });

  it('leaves out what one organization calls beyond its share, and no call of another', async () => {
    const [one, other] = [await createOrganization(db), await createOrganization(db)];
    const { log, lost } = openLog();
    for (let time = 0; time < 300; time += 1) log.add(...of(one.id));
    log.add(...of(other.id));
    await log.flush();
    expect([await countOf(one.id), await countOf(other.id), await lost()]).toEqual([250, 1, 50]);
    log.add(...of(one.id));
    await log.flush();
    expect(await countOf(one.id)).toBe(251);
  });

  it('keeps no more bodies of an organization than its share of the hour', async () => {
    const { id } = await createOrganization(db);
    const { log } = openLog();
    const at = new Date('2026-03-14T15:30:00Z');
    const large = 'x'.repeat(6_000_000);
    for (let time = 0; time < 3; time += 1) {
      log.add(...of(id, { at, requestBody: null, answerBody: large }));
      await log.flush();
    }
    log.add(...of(id, { at: new Date('2026-03-14T16:00:00Z'), answerBody: large }));
    await log.flush();
    const { rows } = await db.query(
      `select answer_body is not null as "hasBody", is_answer_cut as "isCut", is_request_cut as "isRequestCut"
       from request_log where organization_id = $1 order by id`,
      [id],
    );
    expect(rows).toEqual([
      { hasBody: true, isCut: false, isRequestCut: false },
      { hasBody: true, isCut: false, isRequestCut: false },
      { hasBody: false, isCut: true, isRequestCut: false },
      { hasBody: true, isCut: false, isRequestCut: false },
    ]);
  });

  it('counts the calls that a database without an answer loses, and goes on', async () => {
    const { id } = await createOrganization(db);
    let isAway = true;
    const { log, errors, lost } = openLog({
      ...db,
      transaction: (...args) => (isAway ? Promise.reject(new Error('away')) : db.transaction(...args)),
    });
    log.add(...of(id));
    await log.flush();
    expect([errors.length, await lost(), await countOf(id)]).toEqual([1, 1, 0]);
    isAway = false;
    log.add(...of(id));
    await log.flush();
    expect([errors.length, await countOf(id)]).toEqual([1, 1]);
  });
});
