import { readFileSync } from 'node:fs';
import { isIP, type LookupFunction } from 'node:net';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { callbackify } from 'node:util';
import { buildConnector } from 'undici';
import type { AddressPolicy } from './address.ts';
import { connectError, GuardedHttpError } from './error.ts';
import { type HostResolver, refusedAddress } from './resolve.ts';

// Node tries addresses one after the other and gives each this long, unless it is the last: 250 ms, its own choice, is
// less than a far receiver takes.
const attemptTimeoutMs = 2_500;

interface ConnectorOptions {
  resolve: HostResolver;
  policy: AddressPolicy;
  /** Over name resolution, connection and TLS. */
  timeoutMs: number;
  /** PEM file of roots that are trusted beside the usual ones. */
  caFile?: string;
}

/**
 * Connects for undici, to addresses that have just been checked: the name is resolved here, once, and what was checked is
 * what is connected to. Then the peer itself is checked. A literal is never looked up, so it is checked first.
 */
export function createConnector(options: ConnectorOptions): buildConnector.connector {
  const { resolve, policy, timeoutMs, caFile } = options;
  const connect = buildConnector({
    lookup: lookupBy(resolve),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
    secureContext: secureContext(caFile),
    timeout: timeoutMs,
    allowH2: false,
  });
  return (target, callback) => {
    if (isIP(target.hostname) !== 0 && !policy.allows(target.hostname)) return callback(refusedAddress(), null);
    connect(target, (error, socket) => {
      if (error !== null) return callback(connectError(error, target.protocol === 'https:'), null);
      const { remoteAddress } = socket;
      if (remoteAddress !== undefined && policy.allows(remoteAddress)) return callback(null, socket);
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
