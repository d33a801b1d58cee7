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

/** The part of the configuration that concerns access to Temporal. */
interface TemporalAccessConfig {
  TEMPORAL_TLS: boolean;
  TEMPORAL_API_KEY?: string | undefined;
  TEMPORAL_TLS_CA_FILE?: string | undefined;
  TEMPORAL_TLS_CERT_FILE?: string | undefined;
  TEMPORAL_TLS_KEY_FILE?: string | undefined;
}

/** A file that TLS cannot use; the message names the variable. */
export class TemporalAccessError extends Error {}

type FileName = 'TEMPORAL_TLS_CA_FILE' | 'TEMPORAL_TLS_CERT_FILE' | 'TEMPORAL_TLS_KEY_FILE';

/**
 * Reads the files that connections to a Temporal service need, once.
 * @param address host:port
 * @throws TemporalAccessError for a file that cannot be read, or holds no usable certificate or key.
 */
export function createTemporalAccess(address: string, config: TemporalAccessConfig): TemporalAccess {
  if (!config.TEMPORAL_TLS) return { address };
  const ca = read(config, 'TEMPORAL_TLS_CA_FILE');
  const cert = read(config, 'TEMPORAL_TLS_CERT_FILE');
  const key = read(config, 'TEMPORAL_TLS_KEY_FILE');
  if (ca !== undefined) parse('TEMPORAL_TLS_CA_FILE', 'holds no certificate in PEM', () => new X509Certificate(ca));
  const tls: TLSConfig = {
    // Node's own certificates for the worker too: its native part would use the system's, and an image may have none.
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
