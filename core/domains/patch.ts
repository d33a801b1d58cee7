import * as z from 'zod';
import { webAddressSchema } from '#core/links/destination.ts';
import { jsonDocumentSchema } from '#core/lib/json-document.ts';
import { idSchema } from '#core/links/draft.ts';
import { qrOptionsSchema } from '#core/links/qr-code.ts';
import { readOnly } from '#core/lib/read-only.ts';

const immutable = (text: string) => z.unknown().optional().describe(text);

const freeForm = { type: 'object', additionalProperties: true, nullable: true };

/** The body of a domain's update: sent fields change, unsent ones stay, null clears a nullable one. */
export const patchDomainSchema = z.strictObject({
  fallbackUrl: webAddressSchema
    .nullable()
    .optional()
    .describe('Address for visitors of unknown slugs, on another host than the domain.'),
  qrCode: z
    .strictObject({ options: qrOptionsSchema, imageId: idSchema.nullable().optional() })
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
