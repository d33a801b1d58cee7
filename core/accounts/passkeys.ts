/** Signature algorithms of passkeys, the preferred one first: Ed25519, ECDSA with P-256, RSA (WebAuthn level 3 §5.4; numbers of COSE). */
export const passkeyAlgorithms = [-8, -7, -257];

/** What a passkey's registration leaves: its public key, and how to ask for it. Byte strings are base64url. */
export interface NewPasskey {
  credentialId: string;
  publicKey: Uint8Array;
  signCount: number;
}

/** A passkey, as browsers are asked for it. */
export interface PasskeyReference {
  credentialId: string;
  transports: readonly string[];
}

/** The answer of a browser that made a passkey; base64url. */
export interface PasskeyRegistration {
  id: string;
  clientDataJSON: string;
  attestationObject: string;
}

/** The answer of a browser that signed a challenge with a passkey; base64url. */
export interface PasskeyAssertion {
  id: string;
  clientDataJSON: string;
  authenticatorData: string;
  signature: string;
  userHandle?: string | undefined;
}

/** Verifies passkeys of one host name: WebAuthn level 3. */
export interface Passkeys {
  /** The host name that passkeys are bound to; null: the installation has none, only an address, and no passkeys. */
  readonly host: string | null;
  /** @returns undefined where the answer is none to this challenge, or of another host. */
  verifyRegistration(challenge: string, answer: PasskeyRegistration): Promise<NewPasskey | undefined>;
  /**
   * @param needsVerification whether the authenticator must have checked the person, by a PIN or a finger: a passkey alone signs in.
   * @returns the new count of signatures; undefined where the signature is wrong, or the count went back: a copy has signed.
   */
  verifyAssertion(
    challenge: string,
    answer: PasskeyAssertion,
    passkey: { publicKey: Uint8Array; signCount: number },
    options: { needsVerification: boolean },
  ): Promise<number | undefined>;
}
