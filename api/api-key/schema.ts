import { z } from 'zod';
import { permissionsSchema } from '#core/organizations/permissions.ts';
import { name } from '#core/lib/text.ts';
import { type HeldKey, permissionsOfKey } from '#db/organizations/api-keys.ts';
import { pagingShape, searchSchema } from '#api/query.ts';
import { momentSchema, pageSchema } from '#api/schemas.ts';

const id = z.guid();
const longestName = 255;
const typeSchema = z
  .enum(['user', 'bot'])
  .describe('user: the key of the member who creates it, one for each member. bot: the one key of the organization.');

/** The record of an API key. */
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
  })
  .meta({ id: 'ApiKey' });

type ApiKey = z.output<typeof apiKeySchema>;

export function presentApiKey(held: HeldKey): ApiKey {
  const { key } = held;
  return {
    id: key.id,
    organizationId: key.organization.id,
    type: key.type,
    name: key.name,
    permissions: permissionsOfKey(held) as ApiKey['permissions'],
    last4: key.last4,
    userId: key.user.id,
    createdAt: key.createdAt.toISOString(),
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  };
}

/** The answer to POST /api-key: the record with the key itself. */
export const createdKeySchema = apiKeySchema
  .extend({
    key: z.string().meta({
      description: 'The value of the key. No later answer shows it.',
      example: 'wm_live_EXAMPLE',
    }),
  })
  .meta({ id: 'CreatedApiKey' });

/** A page of API keys. */
export const apiKeyListSchema = pageSchema(apiKeySchema, 'ApiKeyPage');

/** The query of GET /api-key/list. */
export const apiKeyListQuerySchema = z.strictObject({
  search: searchSchema.describe('Matches the name, without regard to case.'),
  ...pagingShape,
});

/** The body of POST /api-key. */
export const createApiKeySchema = z
  .strictObject({ type: typeSchema, name: name(longestName), permissions: permissionsSchema })
  .meta({
    id: 'CreateApiKey',
    example: { type: 'bot', name: 'Newsletter', permissions: { shortLinks: ['create', 'read'], stats: ['read'] } },
  });

// What GET returns can be sent back.
const readOnly = z.unknown().optional().describe('Read-only: ignored when sent.');

/** The body of PATCH /api-key/{id}: sent fields change; permissions are replaced whole. */
export const patchApiKeySchema = z
  .strictObject({
    name: name(longestName).optional(),
    permissions: permissionsSchema.optional(),
    id: readOnly,
    organizationId: readOnly,
    type: readOnly,
    last4: readOnly,
    userId: readOnly,
    createdAt: readOnly,
    lastUsedAt: readOnly,
  })
  .meta({ id: 'UpdateApiKey', example: { permissions: { stats: ['read'] } } });
