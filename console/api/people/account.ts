import type { output } from 'zod';
import type { sessionListSchema, userSchema } from '#api/auth/schema.ts';
import { call } from '#console/api/client.ts';
import { readQuery } from '#console/api/query.ts';
import type { Session } from '#console/api/types.ts';

type DeviceList = output<typeof sessionListSchema>;
/** A browser in which the person is signed in. */
export type Device = DeviceList['data'][number];

/** The browsers in which the person is signed in, the last used first. */
export const devicesQuery = readQuery<DeviceList>(['account', 'devices'], '/auth/sessions');

/** Signs another browser of the person out. */
export function endSession(id: string): Promise<unknown> {
  return call('DELETE', '/auth/sessions/{id}', { params: { id } });
}

/** Signs all other browsers of the person out. */
export function endOtherSessions(): Promise<{ rowCount: number }> {
  return call('DELETE', '/auth/sessions');
}

export function changeName(name: string): Promise<output<typeof userSchema>> {
  return call('PATCH', '/auth/user', { body: { name } });
}

/** Changes the password, and signs all other browsers out. @throws ApiError VALIDATION_ERROR at `current` or `next`. */
export function changePassword(body: { current: string; next: string }): Promise<Session> {
  return call<Session>('POST', '/auth/password', { body });
}
