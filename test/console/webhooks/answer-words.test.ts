import { expect, test } from 'vitest';
import { knownErrorOf } from '#console/webhooks/answer-words.ts';

test('a server without TLS, a handshake that failed, and a certificate are told apart', () => {
  expect(knownErrorOf('The server speaks no TLS (ERR_SSL_WRONG_VERSION_NUMBER).')).toBe('noTls');
  expect(knownErrorOf('TLS failed (ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION).')).toBe('handshake');
  expect(knownErrorOf('TLS failed (CERT_NOT_YET_VALID).')).toBe('tls');
  expect(knownErrorOf(null)).toBeUndefined();
});

test.each([
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificateName'],
  ['CERT_HAS_EXPIRED', 'certificateOver'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificateSelfSigned'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'certificateChain'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificateChain'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'certificateChain'],
])('the reason why a certificate is not accepted is told by its code %s', (code, known) => {
  expect(knownErrorOf(`TLS failed (${code}).`)).toBe(known);
});
