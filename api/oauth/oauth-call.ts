import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyBaseLogger } from 'fastify';

/** What the library does not hand on: the call inside of which it works. */
interface OauthCall {
  /** Pseudonym of the caller's network. */
  network: string;
  log: FastifyBaseLogger;
}

export const oauthCall = new AsyncLocalStorage<OauthCall>();
