import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import {
  createGuardedHttp,
  type GuardedHttp,
  GuardedHttpError,
  type GuardedHttpOptions,
  type GuardedRequest,
  type GuardedResponse,
} from '#adapters/http/guarded-http.ts';
import type { Certificate } from '#test/support/certificates.ts';
import { type FakeDns, startFakeDns } from '#test/support/fake-dns.ts';
import { createReceivers, type Handler, type Receivers } from '#test/support/receivers.ts';

/** Name server, receivers and client for tests of guarded HTTP; servers and clients close after each test. */
export interface Fixture {
  /** The name server that clients ask. */
  dns: Pick<FakeDns, 'set' | 'questions'>;
  receivers: Receivers;
  /** A client that trusts the test root. */
  client(options?: GuardedHttpOptions): GuardedHttp;
  /** An https receiver; hooks.test leads to it. @returns its origin. */
  receiver(handler: Handler, certificate?: Certificate): Promise<string>;
}

/** Opens 127.0.0.0/8. */
export const loopback = ['127.0.0.0/8'];

/** Registers the set-up and the tear-down with the calling test file. */
export function createFixture(): Fixture {
  const receivers = createReceivers();
  const clients: GuardedHttp[] = [];
  let server: FakeDns;
  beforeAll(async () => void (server = await startFakeDns()));
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((http) => http.close()));
    await receivers.stop();
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await receivers.dispose();
  });
  const dns: Fixture['dns'] = {
    set: (name, answer) => server.set(name, answer),
    get questions() {
      return server.questions;
    },
  };
  return {
    dns,
    receivers,
    client(options = {}) {
      const http = createGuardedHttp({ dnsServers: [server.address], caFile: receivers.caFile, ...options });
      clients.push(http);
      return http;
    },
    async receiver(handler, certificate) {
      dns.set('hooks.test', { A: ['127.0.0.1'] });
      return `https://hooks.test:${await receivers.https(handler, certificate)}`;
    },
  };
}

/** The error of a call that must fail. */
export async function failure(work: Promise<unknown>): Promise<GuardedHttpError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(GuardedHttpError);
  return error as GuardedHttpError;
}

/** The kind of error of a call that must fail. */
export async function kindOf(work: Promise<unknown>): Promise<string> {
  return (await failure(work)).kind;
}

/** Posts an empty object. */
export function post(http: GuardedHttp, url: string, rest: Partial<GuardedRequest> = {}): Promise<GuardedResponse> {
  return http.request({ url, method: 'POST', body: '{}', ...rest });
}
