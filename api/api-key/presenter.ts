import type { ApiKeyRow } from '#db/organizations/api-keys.ts';
import type { ApiKey } from './schema.ts';

/** Shapes the record of an API key for clients. */
export function presentApiKey({ permissions, createdAt, lastUsedAt, ...key }: ApiKeyRow): ApiKey {
  return {
    ...key,
    permissions: permissions as ApiKey['permissions'],
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
