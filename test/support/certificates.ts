import { generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';

/** A certificate with its key, both PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/** A root of the tests. */
export interface Authority extends Certificate {
  /** Makes a server's certificate for DNS names and IPv4 addresses; `expired`: of yesterday. */
  issue(names: readonly string[], options?: { expired?: boolean }): Certificate;
}

// Object identifiers, as DER: ecdsa-with-SHA256, commonName, basicConstraints, subjectAltName.
const ecdsaWithSha256 = Buffer.from('06082a8648ce3d040302', 'hex');
const commonName = Buffer.from('0603550403', 'hex');
const basicConstraints = Buffer.from('0603551d13', 'hex');
const subjectAltName = Buffer.from('0603551d11', 'hex');
const dayMs = 86_400_000;

/** Makes a root certificate. Node reads certificates but makes none, hence the few lines of DER below. */
export function createAuthority(name = 'Waymark test root'): Authority {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const isAuthority = extension(basicConstraints, sequence(der(0x01, Buffer.of(0xff))), true);
  const cert = certificate({
    subject: name,
    issuer: name,
    publicKey: keys.publicKey,
    signer: keys.privateKey,
    extensions: [isAuthority],
  });
  return {
    cert,
    key: pem(keys.privateKey),
    issue(names, { expired = false } = {}) {
      const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const alternatives = names.map((text) =>
        /^[\d.]+$/.test(text) ? der(0x87, Buffer.from(text.split('.').map(Number))) : der(0x82, Buffer.from(text)),
      );
      return {
        cert: certificate({
          subject: names[0]!,
          issuer: name,
          publicKey: own.publicKey,
          signer: keys.privateKey,
          extensions: [extension(subjectAltName, sequence(...alternatives))],
          until: Date.now() + (expired ? -dayMs : dayMs),
        }),
        key: pem(own.privateKey),
      };
    },
  };
}

interface CertificateDraft {
  subject: string;
  issuer: string;
  publicKey: KeyObject;
  signer: KeyObject;
  extensions: Buffer[];
  until?: number;
}

function certificate({
  subject,
  issuer,
  publicKey,
  signer,
  extensions,
  until = Date.now() + dayMs,
}: CertificateDraft): string {
  const signature = sequence(ecdsaWithSha256);
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    signature,
    distinguishedName(issuer),
    sequence(time(until - 10 * dayMs), time(until)),
    distinguishedName(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signed = sequence(body, signature, der(0x03, Buffer.of(0), sign('sha256', body, signer)));
  return new X509Certificate(signed).toString();
}

function extension(identifier: Buffer, value: Buffer, critical = false): Buffer {
  return sequence(identifier, ...(critical ? [der(0x01, Buffer.of(0xff))] : []), der(0x04, value));
}

function distinguishedName(text: string): Buffer {
  return sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from(text)))));
}

function time(ms: number): Buffer {
  return der(0x18, Buffer.from(`${new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`));
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, ...parts);
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  // In as few bytes as will do: not every reader forgives more.
  const head = length < 0x80 ? [] : length < 0x100 ? [0x81] : [0x82, length >> 8];
  const size = Buffer.of(...head, length & 0xff);
  return Buffer.concat([Buffer.of(tag), size, content]);
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string;
}
