import type { Session } from '#console/api/types.ts';
import { keep, readKept } from '#console/ui/browser/kept.ts';

const key = 'waymark.role';

interface Kept {
  userId: string;
  email: string;
  organizationId: string;
  name: string;
  role: string;
}

/** Keeps in this browser what the person was in the organization: a change of it signs them out. */
export function keepRole({ user, organization: { id, name, role } }: Session): void {
  keep('localStorage', key, { userId: user.id, email: user.email, organizationId: id, name, role } satisfies Kept);
}

/** What has changed since the role was kept: the role, or that the person is a member. */
type RoleChange =
  | { kind: 'role'; name: string; role: Session['organization']['role'] }
  | { kind: 'left'; name: string };

/** @returns the name of the organization in which a person last worked in this browser; undefined: it is not known. */
export function lastOrganizationOf(email: string): string | undefined {
  const kept = read();
  return kept?.email === email.trim().toLowerCase() ? kept?.name : undefined;
}

function read(): Kept | undefined {
  return readKept('localStorage', key) as Kept | undefined;
}

/** @returns why a person who signs in was signed out; undefined: their role is as it was. */
export function roleChangeOf({ user }: Session): RoleChange | undefined {
  const kept = read();
  if (kept?.userId !== user.id) return undefined;
  const now = user.organizations.find(({ id }) => id === kept.organizationId);
  if (now === undefined) return { kind: 'left', name: kept.name };
  return now.role === kept.role ? undefined : { kind: 'role', name: now.name, role: now.role };
}
