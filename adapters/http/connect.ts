import { readFileSync } from 'node:fs';
import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import type { AddressPolicy } from './address.ts';
import { connectError, GuardedHttpError } from './error.ts';
import { skipInterimAnswers } from './interim-answers.ts';
import { type HostResolver, refusedAddress } from './resolve.ts';

// Time for each address except the last, before Node tries the next one. Node's default of 250 ms is too short for distant
// receivers.
const attemptTimeoutMs = 2_500;

interface ConnectorOptions {
  resolve: HostResolver;
  allows: AddressPolicy;
  /** Deadline for resolution, connection and TLS together. */
  timeoutMs: number;
  caFile?: string;
}

/**
 * A connector for undici. It resolves the name once, checks the addresses and connects to these same addresses, so that a second
 * DNS answer cannot differ (DNS rebinding). Literals are checked first, because Node does not look them up. The connected peer is
 * checked as well.
 */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  const { resolve, allows, timeoutMs, caFile } = options;
  const connect = buildConnector({
    lookup: lookupBy(resolve),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
    secureContext: secureContext(caFile),
    timeout: timeoutMs,
    allowH2: false,
  });
  return (target, callback) => {
    if (isIP(target.hostname) !== 0 && !allows(target.hostname)) return callback(refusedAddress(), null);
    connect(target, (error, socket) => {
      if (error !== null) return callback(connectError(error, target.protocol === 'https:'), null);
      const { remoteAddress } = socket;
      if (remoteAddress !== undefined && allows(remoteAddress)) {
        skipInterimAnswers(socket);
        return callback(null, socket);
      }
      socket.destroy();
      if (remoteAddress !== undefined) return callback(refusedAddress(), null);
      return callback(new GuardedHttpError('connect', 'The connection was closed.'), null);
    });
  };
}

function lookupBy(resolve: HostResolver): LookupFunction {
  const lookup = callbackify(resolve);
  return (hostname, _options, callback) => lookup(hostname, callback);
}

function secureContext(caFile: string | undefined): SecureContext {
  if (caFile === undefined) return createSecureContext();
  return createSecureContext({ ca: [...getCACertificates('default'), readFileSync(caFile, 'utf8')] });
}
