import type { output } from 'zod';
import type { deletedOrganizationSchema, deletionProgressSchema } from '#api/organization/deletion-routes.ts';
import type { memberListSchema, OrganizationAnswer } from '#api/organization/schema.ts';
import { call } from './client.ts';
import { readQuery } from './query.ts';

/** How far the deletion of an organization is. */
export type Deletion = output<typeof deletionProgressSchema>;
type MemberPage = output<typeof memberListSchema>;
/** A person who works in the organization. */
export type Member = MemberPage['data'][number];
/** The organization with what its plan allows and what it uses. */
export type Organization = OrganizationAnswer;

export const membersPerPage = 50;

/** The organization of the session. */
export const organizationQuery = readQuery<Organization>(['organization'], '/organization');

/** Members of the organization whose name or e-mail has a text, the first joined first. @param page the first is 0. */
export function membersQuery(page = 0, search = '') {
  const query = { page, limit: membersPerPage, search };
  return readQuery<MemberPage>(['organization', 'members', page, search], '/organization/members', { query });
}

/** Changes the name of the organization, or what visitors of its links with known threats get. */
export function changeOrganization(
  changes: Partial<Pick<Organization, 'name' | 'threatPolicy'>>,
): Promise<Organization> {
  return call('PATCH', '/organization', { body: changes });
}

/** Changes the role of a member. @throws ApiError CONFLICT where no owner would be left. */
export function changeRole(id: string, role: Member['role']): Promise<Member> {
  return call('PATCH', '/organization/members/{id}', { params: { id }, body: { role } });
}

/** Removes a member, with their key, sessions and open invitations in the organization. */
export function removeMember(id: string): Promise<unknown> {
  return call('DELETE', '/organization/members/{id}', { params: { id } });
}

/** Makes a member the owner in the place of the caller, who becomes an admin. */
export function transferOwnership(userId: string): Promise<unknown> {
  return call('POST', '/organization/transfer', { body: { userId } });
}

/** Deletes the organization of the session. @param name its name, as the owner typed it. */
export function deleteOrganization(name: string): Promise<output<typeof deletedOrganizationSchema>> {
  return call('DELETE', '/organization', { query: { name } });
}

/** How far the deletion of an organization is, by the token of the call that deleted it; needs no session. */
export function deletionQuery(token: string) {
  return readQuery<Deletion>(['deletion', token], '/organization/deletion', {
    query: { token },
    isSignIn: true,
    enabled: token !== '',
    refetchInterval: ({ state: { data, error } }) =>
      data?.state === 'completed' ? false : error === null ? 2_000 : 4_000,
  });
}
