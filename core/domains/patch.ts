import * as z from 'zod';
import { webAddressSchema } from '#core/links/destination.ts';
import { idSchema } from '#core/links/draft.ts';
import { qrOptionsInputSchema } from '#core/links/qr-code.ts';
import { readOnly } from '#core/lib/schemas.ts';

const immutable = (text: string) => z.unknown().optional().describe(text);

const freeForm = { type: 'object', additionalProperties: true, nullable: true };

/** The body of a domain's update: sent fields change, unsent ones stay, null clears a nullable one. */
export const patchDomainSchema = z.strictObject({
  fallbackUrl: webAddressSchema
    .nullable()
    .optional()
    .describe('Address for visitors of unknown slugs, on another host than the domain.'),
  qrCode: z
    .strictObject({ options: qrOptionsInputSchema, imageId: idSchema.nullable().optional() })
    .nullable()
    .optional()
    .describe('Template of the QR codes of new links.'),
  isActive: z.boolean().optional(),
  isPrimary: z.boolean().optional().describe('true makes this domain the primary one, in place of another.'),
  appleAppSiteAssociation: jsonDocumentSchema({ arrays: false })
    .meta({ ...freeForm, description: 'Universal Links: an object, served as it is.' })
    .optional(),
  androidAssetLinks: jsonDocumentSchema({ arrays: true })
    .meta({
      anyOf: [
        { type: 'object', additionalProperties: true },
        { type: 'array', items: {} },
      ],
      nullable: true,
      description: 'App Links: an object or an array, served as it is.',
    })
    .optional(),
  ...readOnly('id', 'organizationId'),
  domain: immutable(
    'Cannot be changed: another value than the present one is refused. Add the other name as a new domain.',
  ),
  ...readOnly('isVerified'),
  txtRecord: immutable('Cannot be changed: another value than the present one is refused.'),
  ...readOnly('lastCheckedAt', 'qrCodeId', 'dns', 'links', 'warnings', 'createdAt', 'updatedAt'),
});

export type DomainPatch = z.output<typeof patchDomainSchema>;

const maxBytes = 131_072;
const maxDepth = 32;
const utf8 = new TextEncoder();

/** The problem of a free-form JSON value, as an issue's message; undefined where it may be stored. */
export function jsonProblem(value: unknown): string | undefined {
  const problem = partProblem(value, 1);
  if (problem !== undefined) return problem;
  return utf8.encode(JSON.stringify(value)).byteLength > maxBytes ? `must have at most ${maxBytes} bytes` : undefined;
}

function partProblem(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return textProblem(value);
  // JavaScript reads 1e999 as Infinity, and would store it as null.
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'must not hold numbers beyond 1e308';
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > maxDepth) return `must not be nested deeper than ${maxDepth} levels`;
  for (const [key, part] of Object.entries(value)) {
    // A client that merges such a document into an object would change the prototype of all objects.
    if (key === '__proto__') return 'must not hold the key __proto__';
    const problem = textProblem(key) ?? partProblem(part, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

// PostgreSQL can store neither of these.
function textProblem(text: string): string | undefined {
  if (text.includes('\u0000')) return 'must not hold a NUL character';
  return text.isWellFormed() ? undefined : 'must be well-formed Unicode';
}

/** A free-form JSON document of at most 128 KiB and 32 levels; null clears it. */
function jsonDocumentSchema({ arrays }: { arrays: boolean }) {
  return z.unknown().superRefine((value, context) => {
    if (value === null) return;
    const fits = typeof value === 'object' && (arrays || !Array.isArray(value));
    const message = fits ? jsonProblem(value) : `must be an object${arrays ? ', an array' : ''} or null`;
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}
