import type { Session } from '#console/api/types.ts';

const key = 'waymark.role';

interface Kept {
  userId: string;
  organizationId: string;
  name: string;
  role: string;
}

/** Keeps in this browser what the person was in the organization: a change of it signs them out. */
export function keepRole({ user, organization: { id, name, role } }: Session): void {
  localStorage.setItem(key, JSON.stringify({ userId: user.id, organizationId: id, name, role } satisfies Kept));
}

/** What has changed since the role was kept: the role, or that the person is a member. */
type RoleChange =
  | { kind: 'role'; name: string; role: Session['organization']['role'] }
  | { kind: 'left'; name: string };

/** @returns why a person who signs in was signed out; undefined: their role is as it was. */
export function roleChangeOf({ user }: Session): RoleChange | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Kept>;
    if (kept.userId !== user.id || kept.name === undefined) return undefined;
    const now = user.organizations.find(({ id }) => id === kept.organizationId);
    if (now === undefined) return { kind: 'left', name: kept.name };
    return now.role === kept.role ? undefined : { kind: 'role', name: now.name, role: now.role };
  } catch {
    return undefined;
  }
}
