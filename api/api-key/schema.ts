import { z } from 'zod';
import { readAddressRange } from '#core/http/address-ranges.ts';
import { keyTypes, permissionsSchema } from '#core/organizations/permissions.ts';
import { idSchema } from '#core/links/draft.ts';
import { besideOthers, momentInputSchema, namingPassedEnd, nullAsDefault, name, readOnly } from '#core/lib/schemas.ts';
import { isObject } from '#core/lib/is-object.ts';
import { notOfAdmin, notRestricted } from '#commands/organizations/api-keys.ts';
import { type HeldKey, permissionsOfKey } from '#db/organizations/api-keys.ts';
import { present } from '#api/present.ts';
import { pagingShape, searchSchema } from '#api/query.ts';
import { momentSchema, pageSchema } from '#api/schemas.ts';

const id = z.guid();
const longestName = 255;
// The addresses of a company's data centres.
const maxAddresses = 50;
// Longer than any spelling of an IPv6 address with its prefix.
const longestAddress = 64;
const maxRestrictions = 50;
/** The most hours that the value before a rotation still works: a week. */
const maxOverlapHours = 168;
const typeSchema = z
  .enum(keyTypes)
  .describe(
    'user: the key of the member who creates it, one for each member. bot: the one key of the organization. integration: the key of a program, up to 100 with a name of their own.',
  );

export const apiKeySchema = z
  .strictObject({
    id,
    organizationId: id,
    type: typeSchema,
    name: z.string(),
    permissions: permissionsSchema.describe(
      "Permissions of the key. A call may use a permission only if the role of the key's user allows it too.",
    ),
    last4: z.string().describe('The last four characters of the key.'),
    userId: id.describe('The user to whom the actions of the key are attributed.'),
    createdAt: momentSchema,
    lastUsedAt: momentSchema.nullable(),
    lastUsedFrom: z.string().nullable().describe('The address from which it was last used; null: not known.'),
    expiresAt: momentSchema
      .nullable()
      .describe('From this moment on the key is refused with 401; null: it has no end.'),
    allowedAddresses: z
      .array(z.string())
      .nullable()
      .describe('Addresses and ranges from which the key may be used; null: from everywhere.'),
    folderIds: z
      .array(id)
      .nullable()
      .describe('Folders to which the key is restricted, deleted ones too; null: it is not restricted to folders.'),
    domainIds: z
      .array(id)
      .nullable()
      .describe('Domains to which the key is restricted, deleted ones too; null: it is not restricted to domains.'),
    previousKeyUntil: momentSchema
      .nullable()
      .describe('Until when the value before the last rotation works. It may have passed; null: there is none.'),
  })
  .meta({ id: 'ApiKeyRecord', description: 'An API key, without its secret.' });

type ApiKey = z.output<typeof apiKeySchema>;

export function presentApiKey(held: HeldKey): ApiKey {
  const { key } = held;
  const permissions = permissionsOfKey(held) as ApiKey['permissions'];
  return present(apiKeySchema, key, { organizationId: key.organization.id, userId: key.user.id, permissions });
}

/** The answer to POST /api-key and to a rotation: the record with the key itself. */
export const createdKeySchema = apiKeySchema
  .extend({
    key: z.string().meta({
      description: 'The value of the key. No later answer shows it.',
      example: 'wm_live_EXAMPLE',
      'x-secret': true,
    }),
  })
  .meta({ id: 'CreatedApiKey', description: 'An API key with its secret, which no later answer shows.' });

export const apiKeyListSchema = pageSchema(apiKeySchema, 'ApiKeyPage', 'A page of API keys.');

export const apiKeyListQuerySchema = z.strictObject({
  search: searchSchema.describe('Matches the name, without regard to case.'),
  ...pagingShape,
});

const addressSchema = z
  .string()
  .max(longestAddress)
  .transform((text, context) => {
    const reading = readAddressRange(text);
    if ('range' in reading) return reading.range;
    context.addIssue({ code: 'custom', message: reading.problem });
    return z.NEVER;
  })
  .meta({ example: '203.0.113.0/24' });

const restrictionSchema = z
  .array(idSchema)
  .min(1)
  .max(maxRestrictions)
  .transform((ids) => [...new Set(ids)])
  .nullable()
  .optional();

const limitsShape = {
  expiresAt: momentInputSchema.nullable().optional().describe('A moment in the future; null: the key has no end.'),
  allowedAddresses: z
    .array(addressSchema)
    .min(1)
    .max(maxAddresses)
    .transform((ranges) => [...new Set(ranges)])
    .nullable()
    .optional()
    .describe(
      'IPv4 and IPv6 addresses, or ranges of them in CIDR notation; null: the key may be used from everywhere.',
    ),
  folderIds: restrictionSchema.describe(
    'Folders to which the key is restricted: it reaches only links in them. Not together with the permission apiKeys; null: all folders.',
  ),
  domainIds: restrictionSchema.describe(
    'Domains to which the key is restricted: it reaches only links on them. Not together with the permission apiKeys; null: all domains.',
  ),
};

/** The body of POST /api-key. The command checks the end and `apiKeys` too; checked here, they are listed with all other issues (1.2). */
export const createApiKeySchema = (clock: () => Date) =>
  z
    .strictObject({
      type: typeSchema,
      name: name(longestName),
      permissions: permissionsSchema,
      ...limitsShape,
      expiresAt: limitsShape.expiresAt.refine((end) => !end || end > clock(), 'must be in the future'),
    })
    .superRefine(({ type, permissions, folderIds, domainIds }, context) => {
      if (!isObject(permissions) || ((permissions.apiKeys as unknown[] | undefined) ?? []).length === 0) return;
      const refuse = (message: string) =>
        context.addIssue({ code: 'custom', path: ['permissions', 'apiKeys'], message });
      if (type !== 'user') refuse(notOfAdmin);
      if (folderIds || domainIds) refuse(notRestricted);
    }, besideOthers)
    .meta({
      id: 'CreateApiKey',
      description: 'An API key to create.',
      example: { type: 'bot', name: 'Newsletter', permissions: { shortLinks: ['create', 'read'], stats: ['read'] } },
    });

export const rotateApiKeySchema = z
  .strictObject(
    nullAsDefault({
      overlapHours: z
        .int()
        .min(0)
        .max(maxOverlapHours)
        .optional()
        .describe('Hours for which the present value still works, by default 24; 0: it ends at once.'),
    }),
  )
  .meta({ id: 'RotateApiKey', description: 'How a rotation is done.', example: { overlapHours: 24 } })
  .prefault({});

/** The body of PATCH /api-key/{id}: sent fields change; permissions are replaced whole. */
export const patchApiKeySchema = namingPassedEnd(
  z.strictObject({
    name: name(longestName).optional(),
    permissions: permissionsSchema.optional(),
    ...limitsShape,
    ...readOnly(
      'id',
      'organizationId',
      'type',
      'last4',
      'userId',
      'createdAt',
      'lastUsedAt',
      'lastUsedFrom',
      'previousKeyUntil',
    ),
  }),
).meta({
  id: 'UpdateApiKey',
  description: 'Changes of an API key: fields that are absent stay.',
  example: { permissions: { stats: ['read'] } },
});
