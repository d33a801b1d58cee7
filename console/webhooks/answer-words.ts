import { refusalWords } from '#console/api/refusal.ts';
import { createWords } from '#console/i18n/words.ts';

// Beginnings of the API's sentences on attempts without an answer (adapters/http/error.ts).
const errorStarts = [
  ['The connection was refused', 'refused'],
  ['The connection was reset', 'reset'],
  ['The connection was closed', 'closed'],
  ['The connection timed out', 'timeout'],
  ['There was no complete answer', 'timeout'],
  ['The host cannot be reached', 'unreachable'],
  ['The host is not at a public address', 'notPublic'],
  ['The name of the host has no address', 'noAddress'],
  ['The server speaks no TLS', 'noTls'],
  // Codes of certificates begin otherwise.
  ['TLS failed (ERR_SSL', 'handshake'],
  ['TLS failed (ERR_TLS_CERT_ALTNAME_INVALID', 'certificateName'],
  ['TLS failed (CERT_HAS_EXPIRED', 'certificateOver'],
  ['TLS failed (DEPTH_ZERO_SELF_SIGNED_CERT', 'certificateSelfSigned'],
  ['TLS failed (SELF_SIGNED_CERT_IN_CHAIN', 'certificateChain'],
  ['TLS failed (UNABLE_TO_', 'certificateChain'],
  ['TLS failed', 'tls'],
  ['The answer is not valid HTTP', 'notHttp'],
] as const;

type KnownError = (typeof errorStarts)[number][1];

const en = {
  answered: (code: number) => `The server answered ${code}`,
  meaning: {
    ok: 'taken',
    redirect: 'redirects are not followed: enter the new address',
    wrong: 'it could not read the request',
    denied: 'it did not accept the signature or wants a header',
    missing: 'it has no such address',
    gone: 'it turns the webhook off',
    busy: 'it is too busy now',
    broken: 'an error of the server',
  },
  errors: {
    refused: 'The connection was refused: no server listens there',
    reset: 'The connection was reset',
    closed: 'The server closed the connection before its answer was complete',
    timeout: 'The server did not answer in time',
    unreachable: 'The server cannot be reached',
    notPublic: 'The name of the server leads to an address that is not public',
    noAddress: 'The name of the server has no address',
    noTls: 'The server speaks no TLS at this address: its port may be one for http',
    handshake: 'The server and Waymark could not agree on TLS',
    certificateName: 'The certificate of the server is for another name',
    certificateOver: 'The certificate of the server has expired',
    certificateSelfSigned: 'The certificate of the server is self-signed, and so not accepted',
    certificateChain:
      'The certificate of the server is from no known authority, or the server does not send the intermediate ones',
    tls: 'The certificate of the server is not accepted',
    notHttp: 'The answer is not valid HTTP',
  } satisfies Record<KnownError, string> as Record<KnownError, string>,
};

const de: typeof en = {
  answered: (code) => `Der Server antwortete ${code}`,
  meaning: {
    ok: 'angenommen',
    redirect: 'Weiterleitungen wird nicht gefolgt: tragen Sie die neue Adresse ein',
    wrong: 'er konnte die Anfrage nicht lesen',
    denied: 'er nahm die Signatur nicht an oder verlangt einen Header',
    missing: 'diese Adresse hat er nicht',
    gone: 'das schaltet den Webhook aus',
    busy: 'er ist gerade überlastet',
    broken: 'ein Fehler des Servers',
  },
  errors: {
    refused: 'Die Verbindung wurde abgelehnt: dort hört kein Server zu',
    reset: 'Die Verbindung wurde abgebrochen',
    closed: 'Der Server schloss die Verbindung, bevor seine Antwort vollständig war',
    timeout: 'Der Server antwortete nicht rechtzeitig',
    unreachable: 'Der Server ist nicht erreichbar',
    notPublic: 'Der Name des Servers führt zu einer Adresse, die nicht öffentlich ist',
    noAddress: 'Der Name des Servers hat keine Adresse',
    noTls: 'Der Server spricht unter dieser Adresse kein TLS: Sein Port ist vielleicht einer für http',
    handshake: 'Der Server und Waymark konnten sich nicht auf TLS einigen',
    certificateName: 'Das Zertifikat des Servers gilt für einen anderen Namen',
    certificateOver: 'Das Zertifikat des Servers ist abgelaufen',
    certificateSelfSigned: 'Das Zertifikat des Servers ist selbst signiert und wird deshalb nicht angenommen',
    certificateChain:
      'Das Zertifikat des Servers stammt von keiner bekannten Stelle, oder der Server sendet die Zwischenzertifikate nicht mit',
    tls: 'Das Zertifikat des Servers wird nicht angenommen',
    notHttp: 'Die Antwort ist kein gültiges HTTP',
  },
};

const useWords = createWords({ en, de });

function meaningOf(code: number): keyof (typeof en)['meaning'] {
  if (code < 300) return 'ok';
  if (code < 400) return 'redirect';
  if (code === 401 || code === 403) return 'denied';
  if (code === 404) return 'missing';
  if (code === 410) return 'gone';
  if (code === 429 || code === 503) return 'busy';
  return code < 500 ? 'wrong' : 'broken';
}

/** What an error of the API says, as far as the console knows it. */
export function knownErrorOf(error: string | null): KnownError | undefined {
  return errorStarts.find(([start]) => error?.startsWith(start) === true)?.[1];
}

/** @returns what tells the end of an attempt in a sentence without its full stop: the answer, or why there was none. */
export function useAnswer(): (attempt: { code: number | null; error: string | null }) => string {
  const words = useWords();
  return ({ code, error }) => {
    if (code !== null) return `${words.answered(code)}: ${words.meaning[meaningOf(code)]}`;
    const known = knownErrorOf(error);
    return known === undefined ? refusalWords(error ?? '').replace(/\.$/, '') : words.errors[known];
  };
}
