import { z } from 'zod';
import { readOnly, besideOthers, nullAsDefault, name, text } from '#core/lib/schemas.ts';
import { lengths } from '#core/lengths.ts';
import type { Proof } from '#commands/accounts/second-factors.ts';
import { exampleToken } from '#api/auth/schema.ts';
import { momentSchema } from '#api/schemas.ts';

const bytes = (max: number) => text({ min: 1, max }).regex(/^[A-Za-z0-9_-]+$/, 'must be base64url');
const exampleId = 'AZuMZ1hXd2KTn0c1GvMkZ2Q3ZGM';
const exampleBytes = 'ZXhhbXBsZQ';

const codeSchema = text({ max: 20 })
  .overwrite((value) => value.replaceAll(/\s/g, ''))
  .regex(/^\d{6}$/, 'must be six digits')
  .describe('Six digits, from an authenticator app.')
  .meta({ example: '123456' });

const recoveryCodeSchema = text({ min: 1, max: 40 })
  .describe('One of the recovery codes; it works once.')
  .meta({ example: '7Q2M-X04K-9VBT-RD3H' });

const assertionSchema = z
  .strictObject({
    id: bytes(1_400).describe('Id of the passkey.').meta({ example: exampleId }),
    ...nullAsDefault({
      userHandle: bytes(100).optional().describe('What the passkey says whose it is; not used.'),
    }),
    clientDataJSON: bytes(4_000)
      .describe('What the browser has signed about the page.')
      .meta({ example: exampleBytes }),
    authenticatorData: bytes(4_000).describe('What the authenticator says.').meta({ example: exampleBytes }),
    signature: bytes(8_000).describe('The signature of both.').meta({ example: exampleBytes }),
  })
  .describe("The answer of a passkey: `id` and members of `response` of WebAuthn's credential, in base64url.");

const tokenSchema = text({ min: 1, max: 2_000 });

const oneProof = 'must hold one proof, and only one';

const proofs = {
  code: codeSchema.optional(),
  recoveryCode: recoveryCodeSchema.optional(),
  passkey: assertionSchema.optional().describe(assertionSchema.description!),
};

export const secondStepSchema = z
  .strictObject({
    token: tokenSchema.describe('Of the answer SECOND_FACTOR_REQUIRED.'),
    ...nullAsDefault(proofs),
  })
  .refine(holdsOneProof, { message: oneProof, ...besideOthers })
  .meta({
    id: 'SignInSecondStep',
    description: 'The second step of a sign-in: one of code, recoveryCode and passkey.',
    example: { token: exampleToken, code: '123456' },
  });

export const passkeyOptionsSchema = z
  .strictObject(
    nullAsDefault({
      token: tokenSchema
        .optional()
        .describe('Of the answer SECOND_FACTOR_REQUIRED. Without: for a sign-in by a passkey alone.'),
    }),
  )
  .meta({
    id: 'AskForPasskey',
    description: 'For which sign-in a passkey is asked.',
    example: { token: exampleToken },
  })
  .prefault({});

export const passkeySignInSchema = z
  .strictObject({ token: tokenSchema.describe('Of POST /auth/login/passkey-options.'), passkey: assertionSchema })
  .meta({
    id: 'SignInByPasskey',
    description: 'A sign-in by a passkey alone.',
    example: {
      token: exampleToken,
      passkey: {
        id: exampleId,
        clientDataJSON: exampleBytes,
        authenticatorData: exampleBytes,
        signature: exampleBytes,
      },
    },
  });

export const confirmSchema = z
  .strictObject(
    nullAsDefault({
      password: text({ min: 1, max: 128 }).optional().describe('Of people without a second factor.'),
      ...proofs,
      token: tokenSchema.optional().describe('With a passkey: of POST /auth/confirm/passkey-options.'),
    }),
  )
  .refine(holdsOneProof, { message: oneProof, ...besideOthers })
  .meta({
    id: 'Confirm',
    description: 'Shows that it is still the person of the session: one of password, code, recoveryCode and passkey.',
    example: { code: '123456' },
  });

export const confirmedSchema = z
  .strictObject({ confirmedUntil: momentSchema.describe('Until then no call is answered CONFIRMATION_REQUIRED, UTC.') })
  .meta({ id: 'Confirmed', description: 'How long the confirmation counts.' });

interface GivenProof {
  code?: string | undefined;
  recoveryCode?: string | undefined;
  passkey?: z.output<typeof assertionSchema> | undefined;
  password?: string | undefined;
}

export function readProof(body: GivenProof & { password?: undefined }): Proof;
export function readProof(body: GivenProof): Proof | { method: 'password'; password: string };
export function readProof({ code, recoveryCode, passkey, password }: GivenProof) {
  const given = [
    ...(password === undefined ? [] : [{ method: 'password', password } as const]),
    ...(code === undefined ? [] : [{ method: 'totp', code } as const]),
    ...(recoveryCode === undefined ? [] : [{ method: 'recoveryCode', code: recoveryCode } as const]),
    ...(passkey === undefined ? [] : [{ method: 'passkey', assertion: passkey } as const]),
  ];
  return given[0]!;
}

function holdsOneProof(body: object): boolean {
  const { code, recoveryCode, passkey, password } = body as Record<string, unknown>;
  return [code, recoveryCode, passkey, password].filter((proof) => proof !== undefined && proof !== null).length === 1;
}

export const proofFields = { totp: 'code', recoveryCode: 'recoveryCode', passkey: 'passkey' } as const;

const descriptorSchema = z
  .strictObject({
    type: z.literal('public-key').describe('Always `public-key`.'),
    id: z.string().describe('Id of a passkey, base64url.').meta({ example: exampleId }),
    transports: z
      .array(z.string())
      .describe('How the browser reaches it.')
      .meta({ example: ['internal'] }),
  })
  .meta({ id: 'PasskeyDescriptor', description: 'A passkey, as browsers know it.' });

const challengeSchema = z
  .string()
  .describe('What the passkey signs, base64url.')
  .meta({ example: 'q3ZGMyMWZiY2Y1OWFkMTY3OTk0MmFiYzg5MGFiY2RlAZu' });
const timeoutSchema = z.int().describe('Milliseconds that the browser waits.').meta({ example: 300_000 });
const verificationSchema = z
  .enum(['required', 'preferred'])
  .describe('Whether the authenticator must check the person, by a PIN or a finger.');

export const passkeyRequestSchema = z
  .strictObject({
    token: z.string().describe('To be sent with the answer of the passkey.').meta({ example: exampleToken }),
    options: z
      .strictObject({
        challenge: challengeSchema,
        rpId: z.string().describe('Host name that the passkeys are bound to.').meta({ example: 'links.example.com' }),
        timeout: timeoutSchema,
        userVerification: verificationSchema,
        allowCredentials: z.array(descriptorSchema).describe('Passkeys that count; empty: any that the browser finds.'),
      })
      .meta({ id: 'PasskeyRequestOptions', description: "WebAuthn's PublicKeyCredentialRequestOptionsJSON." }),
  })
  .meta({ id: 'PasskeyRequest', description: 'How a browser asks for a passkey.' });

export const passkeyCreationSchema = z
  .strictObject({
    token: z.string().describe('To be sent with the new passkey.').meta({ example: exampleToken }),
    options: z
      .strictObject({
        challenge: challengeSchema,
        rp: z
          .strictObject({
            id: z.string().describe('Host name that the passkey is bound to.').meta({ example: 'links.example.com' }),
            name: z.string().describe('Name of the product.').meta({ example: 'Waymark' }),
          })
          .describe('For which site the passkey is.'),
        user: z
          .strictObject({
            id: z.string().describe('Id of the user, base64url.').meta({ example: exampleId }),
            name: z.string().describe('E-mail of the user.').meta({ example: 'ada@example.com' }),
            displayName: z.string().describe('Name of the user.').meta({ example: 'Ada Lovelace' }),
          })
          .describe('For whom the passkey is.'),
        pubKeyCredParams: z
          .array(
            z.strictObject({
              type: z.literal('public-key').describe('Always `public-key`.'),
              alg: z.int().describe('Number of a signature algorithm in the registry of COSE.').meta({ example: -7 }),
            }),
          )
          .describe('Signature algorithms, the preferred one first.'),
        timeout: timeoutSchema,
        excludeCredentials: z.array(descriptorSchema).describe('Passkeys that the user has already.'),
        authenticatorSelection: z
          .strictObject({
            residentKey: z.literal('preferred').describe('Whether it can sign in without an e-mail.'),
            userVerification: verificationSchema,
          })
          .describe('Which authenticators are wanted.'),
        attestation: z.literal('none').describe('The maker of the authenticator is not asked for.'),
      })
      .meta({ id: 'PasskeyCreationOptions', description: "WebAuthn's PublicKeyCredentialCreationOptionsJSON." }),
  })
  .meta({ id: 'PasskeyCreation', description: 'How a browser makes a passkey.' });

const passkeyName = name(lengths.passkeyName).describe('How the person calls it.').meta({ example: 'Work laptop' });

export const addPasskeySchema = z
  .strictObject({
    token: tokenSchema.describe('Of POST /auth/second-factors/passkeys/options.'),
    name: passkeyName,
    passkey: z
      .strictObject({
        id: bytes(1_400).describe('Id of the passkey.').meta({ example: exampleId }),
        clientDataJSON: bytes(4_000).describe('What the browser says about the page.').meta({ example: exampleBytes }),
        attestationObject: bytes(10_000).describe('The public key.').meta({ example: exampleBytes }),
        ...nullAsDefault({
          transports: z
            .array(text({ min: 1, max: 30 }))
            .max(10)
            .optional()
            .describe('How the browser reaches it.')
            .meta({ example: ['internal'] }),
        }),
      })
      .meta({
        id: 'PasskeyCredential',
        description: "A new passkey: `id` and members of `response` of WebAuthn's credential, in base64url.",
      }),
  })
  .meta({
    id: 'AddPasskey',
    description: 'A passkey to add.',
    example: {
      token: exampleToken,
      name: 'Work laptop',
      passkey: { id: exampleId, clientDataJSON: exampleBytes, attestationObject: exampleBytes },
    },
  });

export const renamePasskeySchema = z
  .strictObject({ name: passkeyName, ...readOnly('id', 'createdAt', 'lastUsedAt') })
  .meta({ id: 'RenamePasskey', description: 'Another name of a passkey.', example: { name: 'Work laptop' } });

const lastUsedSchema = momentSchema.nullable().describe('When it was last used, UTC; null: never.');
const passkeyFields = {
  id: z.guid(),
  name: passkeyName,
  createdAt: momentSchema.describe('When it was added, UTC.'),
  lastUsedAt: lastUsedSchema,
};

export const passkeySchema = z
  .strictObject(passkeyFields)
  .meta({ id: 'Passkey', description: 'A passkey of the user.' });

const codesSchema = z
  .array(z.string())
  .describe('Ten codes; each works once. Only their hashes are stored: no later answer shows them.')
  .meta({ example: ['7Q2M-X04K-9VBT-RD3H'] });
const firstCodesSchema = codesSchema
  .nullable()
  .describe('Ten recovery codes, with the first second factor; null with later ones. No later answer shows them.');

export const addedPasskeySchema = z
  .strictObject({ ...passkeyFields, recoveryCodes: firstCodesSchema })
  .meta({ id: 'AddedPasskey', description: 'A passkey that was added.' });

export const totpSecretSchema = z
  .strictObject({
    secret: z
      .string()
      .describe('The secret in base 32, to be typed.')
      .meta({ example: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' }),
    uri: z
      .string()
      .describe('The same as an otpauth: address, for a QR code.')
      .meta({ example: 'otpauth://totp/Waymark:ada%40example.com?issuer=Waymark&secret=GEZDGNBVGY3TQOJQ' }),
  })
  .meta({ id: 'TotpSecret', description: 'What an authenticator app needs. It counts once its first code was sent.' });

export const confirmTotpSchema = z
  .strictObject({ code: codeSchema })
  .meta({ id: 'ConfirmTotp', description: 'The first code of an authenticator app.', example: { code: '123456' } });

export const addedTotpSchema = z
  .strictObject({ recoveryCodes: firstCodesSchema })
  .meta({ id: 'AddedTotp', description: 'The authenticator app is a second factor now.' });

export const recoveryCodesSchema = z
  .strictObject({ recoveryCodes: codesSchema })
  .meta({ id: 'RecoveryCodeSet', description: 'New recovery codes; those before do not work any more.' });

export const secondFactorsSchema = z
  .strictObject({
    totp: z
      .strictObject({ createdAt: passkeyFields.createdAt, lastUsedAt: lastUsedSchema })
      .nullable()
      .describe('The authenticator app; null: there is none.'),
    passkeys: z.array(passkeySchema).describe('The first added one first.'),
    recoveryCodesLeft: z.int().describe('How many recovery codes were not used yet.').meta({ example: 10 }),
    isRequired: z.boolean().describe('Whether the user needs a second factor: for the internal tools.'),
    canAddPasskeys: z
      .boolean()
      .describe('Whether there can be passkeys: not where the installation has an IP address instead of a host name.'),
  })
  .meta({ id: 'SecondFactors', description: 'The second factors of the user.' });
