import { expect, test } from 'vitest';
import { knownErrorOf } from '#console/webhooks/answer-words.ts';

test('a server without TLS, a handshake that failed, and a certificate are told apart', () => {
  expect(knownErrorOf('The server speaks no TLS (ERR_SSL_WRONG_VERSION_NUMBER).')).toBe('noTls');
  expect(knownErrorOf('TLS failed (ERR_SSL_WRONG_VERSION_NUMBER).')).toBe('noTls');
  expect(knownErrorOf('TLS failed (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION).')).toBe('handshake');
  expect(knownErrorOf('TLS failed (ERR_TLS_CERT_ALTNAME_INVALID).')).toBe('tls');
  expect(knownErrorOf('TLS failed (CERT_HAS_EXPIRED).')).toBe('tls');
  expect(knownErrorOf(null)).toBeUndefined();
});
