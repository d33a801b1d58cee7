import type { EntityManager } from '#db/connection/entity-manager.ts';
import { type AuditDraft, AuditEntry } from '#db/entities/audit.ts';

/** A line of the audit log about a change: the staff member, the procedure, the organization and the row. */
export type StaffAction = Omit<AuditDraft, 'at'>;

/** Writes a line of the audit log in the transaction of the change: both are stored, or neither. */
export async function recordAction(em: EntityManager, action: StaffAction, { now }: { now: Date }): Promise<void> {
  await em.getRepository(AuditEntry).write({ at: now, ...action });
}

interface StaffRead {
  userId: string;
  /** Name of the procedure. */
  action: string;
  organizationId: string | null;
  subjectId: string | null;
  search: string | undefined;
}

/** Counts reads of customers' data by a staff member: one line an hour for each thing that was read. */
export async function recordRead(
  em: EntityManager,
  { search, ...read }: StaffRead,
  { now }: { now: Date },
): Promise<void> {
  const details = search === undefined ? {} : { search };
  await em.getRepository(AuditEntry).countOne({ ...read, at: now, details }, search);
}

/** Outcomes of attempts to sign in, and to change a password. */
export type SignInAction =
  | 'auth.login'
  | 'auth.loginFailed'
  | 'auth.loginThrottled'
  /** The password was right, but the person has no organization to work in. */
  | 'auth.loginRefused'
  | 'auth.password'
  | 'auth.passwordFailed'
  | 'auth.passwordThrottled'
  /** A link for a new password was asked for. */
  | 'auth.resetRequested'
  | 'auth.resetThrottled'
  /** A new password was set by such a link. */
  | 'auth.reset'
  /** A person ended a session of theirs from another one. */
  | 'auth.sessionEnded';

/**
 * Counts an attempt to sign in: one line an hour for each account and outcome. A flood of attempts adds a few lines an hour for
 * each existing account, and for all unknown ones together.
 * @param attempt `userId`: the account that was tried; null: an unknown one. `client`: keyed name of the last client.
 */
export async function recordSignIn(
  em: EntityManager,
  {
    action,
    userId,
    organizationId = null,
    client,
  }: { action: SignInAction; userId: string | null; organizationId?: string | null; client: string },
  { now }: { now: Date },
): Promise<void> {
  await em
    .getRepository(AuditEntry)
    .countOne({ at: now, action, userId, organizationId, subjectId: null, details: { client } });
}
