import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { createSender } from '#activities/webhooks/send.ts';
import type { GuardedHttp, GuardedHttpOptions } from '#adapters/http/guarded-http.ts';
import { createDatabase, type Database } from '#db/connection/database.ts';
import {
  createFixture as createHttpFixture,
  type Fixture as HttpFixture,
  loopback,
} from '#test/adapters/http/fixture.ts';
import { createDelivery } from '#test/support/deliveries.ts';
import { createTestDatabase, type TestDatabase } from '#test/support/stack.ts';
import { createOwnedOrganization } from '#test/support/people.ts';
import { pumpDue } from '#test/support/pumps.ts';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
/** Every gap of the schedule. */
export const gapMs = 60_000;

/** An attempt with its delivery and its webhook, as the database holds them. */
export interface Recorded {
  status: string;
  responseCode: number | null;
  attempts: number;
  inMs: number | null;
  code: number | null;
  durationMs: number;
  body: string | null;
  error: string | null;
  failures: number;
  isActive: boolean;
  reason: string | null;
  /** The delivery is due again within the gap of the schedule. */
  isDueInTime: boolean;
  /** The error is a sentence for members. */
  isPlain: boolean;
}

/** Receivers, a client, a database and a webhook. */
export interface Fixture extends Pick<HttpFixture, 'dns' | 'receivers' | 'receiver'> {
  /** Sends one delivery to `url` as the pump does. @returns its rows after that. */
  attempt(url: string, options?: GuardedHttpOptions): Promise<Recorded>;
}

export function createFixture(): Fixture {
  const { dns, receivers, client, receiver } = createHttpFixture();
  let database: TestDatabase;
  let db: Database;
  let webhookId: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    db = createDatabase({ url: database.url });
  });
  afterAll(async () => {
    await db.close();
    await database[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    webhookId = uuidv7();
    await db.query(
      `insert into webhooks (id, organization_id, url, url_key, events, secret_sealed)
       values ($1, $2, 'https://hooks.test/', $1::uuid::text, '{link.created}', '')`,
      [webhookId, (await createOwnedOrganization(db)).id],
    );
  });

  async function attempt(url: string, options: GuardedHttpOptions = {}): Promise<Recorded> {
    const http: GuardedHttp = client({ allowedCidrs: loopback, timeoutMs: 10_000, ...options });
    const { id } = await createDelivery(db, webhookId);
    await pumpDue({
      sql: db,
      webhookId,
      send: createSender({ http, signatureHeader: 'X-Service-Signature' }),
      open: () => ({ url, secrets: { current: secret, previous: undefined }, headers: [] }),
      gapsMs: [gapMs, gapMs, gapMs, gapMs, gapMs],
      probeDelaysMs: [gapMs],
    });
    const { rows } = await db.query<Omit<Recorded, 'isDueInTime' | 'isPlain'>>(
      `select d.status, d.response_code as "responseCode", d.attempts,
         (extract(epoch from d.due_at - now()) * 1000)::float8 as "inMs",
         a.code, a.duration_ms as "durationMs", a.body, a.error,
         w.consecutive_failures as failures, w.is_active as "isActive", w.disabled_reason as reason
       from deliveries d join delivery_attempts a on a.delivery_id = d.id join webhooks w on w.id = d.webhook_id
       where d.id = $1`,
      [id],
    );
    expect(rows).toHaveLength(1);
    const row = rows[0]!;
    const { inMs, error } = row;
    return {
      ...row,
      isDueInTime: inMs !== null && inMs > 0 && inMs <= gapMs,
      isPlain: error !== null && isPlain(error),
    };
  }

  return { dns, receivers, receiver, attempt };
}

/** The rows of a failed attempt that is tried again after the first gap. */
export function failure(expected: { code: number } | { error: RegExp }): object {
  const retried = { status: 'pending', attempts: 1, failures: 1, isActive: true, isDueInTime: true };
  if ('code' in expected) {
    return expect.objectContaining({ ...retried, code: expected.code, responseCode: expected.code, error: null });
  }
  const { error } = expected;
  return expect.objectContaining({
    ...retried,
    code: null,
    responseCode: null,
    body: null,
    error: expect.stringMatching(error) as string,
    isPlain: true,
  });
}

/** Whether an error is a sentence that shows nothing of the worker's network. */
function isPlain(error: string): boolean {
  return /^[A-Z].*\.$/.test(error) && !/\d+\.\d+\.\d+\.\d+|::|localhost|:\d{2,5}/.test(error);
}
