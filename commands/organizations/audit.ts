import type { ActivityDraft } from '#core/audit/activity.ts';
import type { Actor } from '#core/audit/actor.ts';
import { clientDetail } from '#core/audit/audit.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { type AuditDraft, AuditEntry } from '#db/entities/audit.ts';
import { Membership } from '#db/entities/accounts/people.ts';
import { recordActivity } from '#commands/activity.ts';

const noUser = '00000000-0000-0000-0000-000000000000';

/** A line of the audit log about a change: the caller, by default a member, the action, the organization and the row. */
export type AuditAction = Omit<AuditDraft, 'at' | 'caller'> & { caller?: AuditDraft['caller'] };

/** Writes a line of the audit log in the transaction of the change: both are stored, or neither. */
export async function recordAction(em: EntityManager, action: AuditAction, now: Date): Promise<void> {
  await em.getRepository(AuditEntry).write({ at: now, caller: 'member', ...action });
}

interface AuditedChange {
  action: string;
  subjectId: string | null;
  /** Further facts, without secrets. */
  details?: Record<string, unknown> | undefined;
}

/**
 * Writes what a member or a key has done to the audit log, in the transaction of the change. Of staff the procedure writes its own
 * line.
 */
export async function recordChange(
  em: EntityManager,
  { organizationId, userId, keyId, client, isStaff = false }: Actor,
  { action, subjectId, details = {} }: AuditedChange,
  now: Date,
): Promise<void> {
  if (isStaff) return;
  const caller = keyId === undefined ? 'member' : 'key';
  const line = { at: now, caller, userId, keyId: keyId ?? null, action, organizationId, subjectId } as const;
  const told = client === undefined ? details : { ...details, [clientDetail]: client };
  await em.getRepository(AuditEntry).write({ ...line, details: told });
}

/** Writes a change that the activity and the audit log both have: of a domain or a webhook. */
export async function recordAuditedActivity(
  em: EntityManager,
  actor: Actor,
  activity: ActivityDraft,
  now: Date,
): Promise<void> {
  await recordActivity(em, actor, activity, now);
  const { action, subjectId, name, details } = activity;
  await recordChange(em, actor, { action, subjectId, details: { name, ...details } }, now);
}

interface StaffRead {
  userId: string;
  /** Name of the procedure. */
  action: string;
  /** Whose data was read. */
  organizationIds: readonly string[];
  /** Whether the data of all organizations was searched. */
  isAcross: boolean;
  subjectId: string | null;
  search: string | undefined;
}

/**
 * Counts reads of customers' data by a staff member: one line an hour for each thing that was read, in the log of its organization. A
 * search over all organizations has a line of the installation too, with its words: they may name another customer.
 */
export async function recordRead(
  em: EntityManager,
  { search, organizationIds, isAcross, ...read }: StaffRead,
  now: Date,
): Promise<void> {
  const line = { ...read, caller: 'staff', at: now } as const;
  const worded = { details: search === undefined ? {} : { search }, kind: search };
  const lines = organizationIds.map((organizationId) => ({
    ...line,
    organizationId,
    ...(isAcross ? { details: {} } : worded),
  }));
  const ofAll = isAcross || lines.length === 0 ? [{ ...line, organizationId: null, ...worded }] : [];
  await em.getRepository(AuditEntry).countAll([...ofAll, ...lines]);
}

/** Outcomes of attempts to sign in, and to change a password. */
export type SignInAction =
  | 'auth.login'
  /** A sign-in by an identity provider. */
  | 'auth.oidc'
  /** A sign-in by a passkey alone. */
  | 'auth.passkey'
  /** A sign-in by a recovery code after the password. */
  | 'auth.recoveryCode'
  | 'auth.loginFailed'
  | 'auth.loginThrottled'
  /** The password was right, but the person has no organization to work in. */
  | 'auth.loginRefused'
  | 'auth.password'
  | 'auth.passwordFailed'
  | 'auth.passwordThrottled'
  /** A wrong code, recovery code or passkey, at a sign-in or a confirmation. */
  | 'auth.secondFactorFailed'
  | 'auth.secondFactorThrottled'
  /** A person has shown again that it is them, before a change of weight. */
  | 'auth.confirmed'
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
 * @param attempt `userId`: the account that was tried; null: an unknown one. `organizationId`: without one, the first that the person
 * joined. `client`: keyed name of the last client.
 */
export async function recordSignIn(
  em: EntityManager,
  {
    action,
    userId,
    organizationId = null,
    client,
  }: { action: SignInAction; userId: string | null; organizationId?: string | null; client: string },
  now: Date,
): Promise<void> {
  // Read for unknown accounts too, so that time does not tell them apart.
  const members = em.getRepository(Membership);
  const owner = organizationId ?? (await members.findFirstWorkplace(userId ?? noUser))?.organizationId ?? null;
  const line = { at: now, action, userId, organizationId: owner, subjectId: null, details: { client } };
  await em.getRepository(AuditEntry).countAll([{ ...line, caller: 'member' }]);
}
