import type { output } from 'zod';
import type { apiKeyListSchema, createdKeySchema } from '#api/api-key/schema.ts';
import { call } from '#console/api/client.ts';
import { readQuery } from '#console/api/query.ts';

type KeyPage = output<typeof apiKeyListSchema>;
export type ApiKey = KeyPage['data'][number];
export type KeyPermissions = ApiKey['permissions'];
/** A new key with its value, which no later answer shows. */
export type CreatedKey = output<typeof createdKeySchema>;

/** What a person chooses of a key. */
interface KeyFields extends Pick<ApiKey, 'name' | 'expiresAt' | 'allowedAddresses' | 'folderIds' | 'domainIds'> {
  permissions: KeyPermissions;
}

export const keysPerPage = 50;

/** API keys of the organization, the most recent first. @param page the first is 0. */
export function keysQuery(page = 0) {
  return readQuery<KeyPage>(['keys', page], '/api-key/list', { query: { page, limit: keysPerPage } });
}

/** Creates a key. @param intent one key for each time that the person means it. */
export function createKey(body: { type: ApiKey['type'] } & KeyFields, intent: string): Promise<CreatedKey> {
  return call('POST', '/api-key', { body, idempotencyKey: intent });
}

/** Changes a key; its next call follows. */
export function updateKey(id: string, body: KeyFields): Promise<ApiKey> {
  return call('PATCH', '/api-key/{id}', { params: { id }, body });
}

/** Gives a key another value; the present one works for some hours. @param intent as of `createKey`. */
export function rotateKey(id: string, overlapHours: number, intent: string): Promise<CreatedKey> {
  return call('POST', '/api-key/{id}/rotate', { params: { id }, body: { overlapHours }, idempotencyKey: intent });
}

/** Revokes a key: its next call fails. */
export function revokeKey(id: string): Promise<unknown> {
  return call('DELETE', '/api-key/{id}', { params: { id } });
}
