import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** Calls counted per API key or client address, in the windows that are open. Unlogged: a crash of the server forgets it. */
export const RateWindows = defineEntity({
  name: 'RateWindows',
  tableName: 'rate_windows',
  properties: {
    subject: p.text().primary(),
    secondAt: p.datetime(6),
    secondUsed: p.integer(),
    minuteAt: p.datetime(6),
    minuteUsed: p.integer(),
    /** Calls that the last statement granted. */
    granted: p.integer(),
  },
});

/** What a call has made: the id of a link, the results of a bulk call, or a new API key, sealed. */
export type MadeByCall = string | object;

/**
 * A call with an Idempotency-Key. Until `status` is set it is under way, claimed by `claim` until `claimedUntil`. `made`
 * is written in the command's transaction: it survives a call that dies before its answer.
 */
export const IdempotencyKey = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  properties: {
    organizationId: p.uuid().primary(),
    route: p.text().primary(),
    key: p.text().primary(),
    /** `key:<id>` or `user:<id>`: the answer is given again to this caller alone. */
    caller: p.text().default(''),
    fingerprint: p.blob(),
    claim: p.uuid(),
    claimedUntil: p.datetime(3),
    made: p.json().$type<MadeByCall>().nullable(),
    status: p.integer().nullable(),
    /** Sealed: it may hold a secret that is shown once. */
    answer: p.blob().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
  indexes: [{ name: 'idempotency_keys_created_at_idx', properties: ['createdAt'] }],
});

/**
 * Bytes of answers to calls with an Idempotency-Key that an organization stored in an hour. Unlogged: a crash of the server forgets
 * it. No foreign key: the rows of a deleted organization go with their hour.
 */
export const IdempotencyBytes = defineEntity({
  name: 'IdempotencyBytes',
  tableName: 'idempotency_bytes',
  properties: {
    organizationId: p.uuid().primary(),
    hourAt: p.datetime(3).primary(),
    bytes: p.bigint('number'),
  },
});

/** A call of the REST API, secrets masked, for some days. It outlives its organization and its caller for moments: no foreign keys. */
export const LoggedCall = defineEntity({
  name: 'LoggedCall',
  tableName: 'request_log',
  properties: {
    organizationId: p.uuid().primary(),
    /** The call's `X-Request-Id`. */
    id: p.uuid().primary(),
    /** When it came: the moment of the id. */
    at: p.datetime(3),
    method: p.text(),
    /** As in /doc: `/short-link/{id}`; null: there is no such path. */
    route: p.text().nullable(),
    path: p.text(),
    query: p.text().nullable(),
    status: p.smallint(),
    /** The error's; null: a success. */
    code: p.text().nullable(),
    /** The caller, or the user of its key. */
    userId: p.uuid(),
    keyId: p.uuid().nullable(),
    latencyMs: p.float(),
    requestType: p.text().nullable(),
    requestBytes: p.integer().nullable(),
    requestBody: p.text().nullable(),
    /** Whether the call had more than `requestBody`. */
    isRequestCut: p.boolean(),
    answerType: p.text().nullable(),
    answerBytes: p.integer().nullable(),
    answerBody: p.text().nullable(),
    isAnswerCut: p.boolean(),
  },
  indexes: [{ name: 'request_log_at_idx', properties: ['at'], type: 'brin' }],
});
export type LoggedCall = InferEntity<typeof LoggedCall>;

/** The last failed attempts of a client at a link's password, up to ten. `client` is a keyed hash of its address. */
export const LinkPasswordFailures = defineEntity({
  name: 'LinkPasswordFailures',
  tableName: 'link_password_failures',
  properties: {
    linkId: p.uuid().primary(),
    client: p.text().primary(),
    failedAt: p.array().columnType('timestamptz[]'),
    lastFailedAt: p.datetime().columnType('timestamptz'),
  },
  indexes: [{ name: 'link_password_failures_last_failed_at_idx', properties: ['lastFailedAt'] }],
});
