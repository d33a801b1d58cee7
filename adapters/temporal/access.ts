import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { getCACertificates } from 'node:tls';
import type { TLSConfig } from '@temporalio/client';

/** How a Temporal service is reached, by clients and by workers. */
export interface TemporalAccess {
  /** host:port */
  address: string;
  /** Absent: without TLS. */
  tls?: TLSConfig | undefined;
  /** Sent with each call. */
  apiKey?: string | undefined;
}

/** What the access is made from: the configuration, by the names of its variables. */
export interface TemporalAccessConfig {
  TEMPORAL_TLS: boolean;
  TEMPORAL_API_KEY?: string | undefined;
  TEMPORAL_TLS_CA_FILE?: string | undefined;
  TEMPORAL_TLS_CERT_FILE?: string | undefined;
  TEMPORAL_TLS_KEY_FILE?: string | undefined;
}

/** A file that is no use for TLS; names the variable. */
export class TemporalAccessError extends Error {}

type FileName = 'TEMPORAL_TLS_CA_FILE' | 'TEMPORAL_TLS_CERT_FILE' | 'TEMPORAL_TLS_KEY_FILE';

/**
 * Reads what connections to a Temporal service need; the files are read this once.
 * @param address host:port
 * @throws TemporalAccessError for a file that cannot be read, or is not what it should be.
 */
export function createTemporalAccess(address: string, config: TemporalAccessConfig): TemporalAccess {
  if (!config.TEMPORAL_TLS) return { address };
  const ca = read(config, 'TEMPORAL_TLS_CA_FILE');
  const cert = read(config, 'TEMPORAL_TLS_CERT_FILE');
  const key = read(config, 'TEMPORAL_TLS_KEY_FILE');
  if (ca !== undefined) parse('TEMPORAL_TLS_CA_FILE', 'holds no certificate in PEM', () => new X509Certificate(ca));
  const tls: TLSConfig = {
    // Node's own for the worker too, whose native part would look for those of the system: an image may have none.
    serverRootCACertificate: ca ?? Buffer.from(getCACertificates('default').join('\n')),
  };
  if (cert !== undefined && key !== undefined) {
    const own = parse('TEMPORAL_TLS_CERT_FILE', 'holds no certificate in PEM', () => new X509Certificate(cert));
    const secret = parse('TEMPORAL_TLS_KEY_FILE', 'holds no private key in PEM', () => createPrivateKey(key));
    if (!own.checkPrivateKey(secret)) {
      throw new TemporalAccessError('TEMPORAL_TLS_KEY_FILE: is not the key of TEMPORAL_TLS_CERT_FILE');
    }
    tls.clientCertPair = { crt: cert, key };
  }
  return { address, tls, apiKey: config.TEMPORAL_API_KEY };
}

function read(config: TemporalAccessConfig, name: FileName): Buffer | undefined {
  const path = config[name];
  if (path === undefined) return undefined;
  try {
    return readFileSync(path);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new TemporalAccessError(`${name}: ${path} cannot be read (${code})`, { cause: error });
  }
}

function parse<T>(name: FileName, what: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new TemporalAccessError(`${name}: ${what}`, { cause: error });
  }
}
