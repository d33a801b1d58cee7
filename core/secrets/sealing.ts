/** Seals what must not be readable in the database, and opens it again. */
export interface Sealing {
  /**
   * Encrypts `plaintext` with the first key. `context` names the row that it belongs to (by its id): a ciphertext that is moved to
   * another place does not open there.
   */
  seal(purpose: string, plaintext: Uint8Array | string, context?: string): Buffer;
  /**
   * Decrypts what `seal` made, by whichever key it names.
   * @throws SealingError where it cannot be opened.
   */
  open(purpose: string, sealed: Uint8Array, context?: string): Buffer;
  /** The key of a purpose, from each secret key in order: the first signs, all verify. */
  deriveKeys(purpose: string): readonly Buffer[];
  /** Fingerprint of each secret key in order, 16 hex digits: tells keys apart without giving them away. */
  readonly fingerprints: readonly string[];
  /** The first bytes of everything sealed with the first key, and of nothing else. */
  readonly currentPrefix: Buffer;
}

/** Why something sealed does not open: it is no sealed form, its key is not configured, or it was changed or belongs elsewhere. */
export type SealingFailure = 'malformed' | 'unknown-key' | 'refused';

const messages: Record<SealingFailure, string> = {
  malformed: 'This is not in the sealed form that this version knows.',
  'unknown-key': 'This was sealed with a key that SECRET_KEY does not list.',
  refused: 'This was changed after it was sealed, or it was sealed for another purpose or place.',
};

/** Something sealed that cannot be opened; `reason` tells why. */
export class SealingError extends Error {
  readonly reason: SealingFailure;

  constructor(reason: SealingFailure, options?: ErrorOptions) {
    super(messages[reason], options);
    this.name = 'SealingError';
    this.reason = reason;
  }
}

/** The context of a secret that is sealed in a row: the row's primary key, column by column. */
export function rowContext(...key: readonly string[]): string {
  return JSON.stringify(key);
}
