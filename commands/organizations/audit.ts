import { v7 as uuidv7 } from 'uuid';
import { type AuditRow, countAudit, insertAuditRow } from '#db/organizations/audit.ts';
import type { Sql, Transaction } from '#db/connection/database.ts';

/** What one of the staff does: who, what by the name of its procedure, to whom, and to which row. */
export type StaffAction = Omit<AuditRow, 'id' | 'at'>;

/** Notes in the audit log, in the transaction of the change itself, what one of the staff does: both are there or neither. */
export async function recordAction(tx: Transaction, action: StaffAction, { now }: { now: Date }): Promise<void> {
  await insertAuditRow(tx, { id: uuidv7(), at: now, ...action });
}

/** What one of the staff looks at. */
interface StaffRead {
  userId: string;
  /** The procedure. */
  action: string;
  organizationId: string | null;
  subjectId: string | null;
  search: string | undefined;
}

/** Notes that one of the staff has looked at data of customers: once an hour for each thing looked at, with a count. */
export async function recordRead(sql: Sql, { search, ...read }: StaffRead, { now }: { now: Date }): Promise<void> {
  const details = search === undefined ? {} : { search };
  await countAudit(sql, { ...read, at: now, details }, search);
}

/** What came of an attempt to sign in, or to change a password. */
export type SignInAction =
  | 'auth.login'
  | 'auth.loginFailed'
  | 'auth.loginThrottled'
  /** The password was right, but there is no organization to work in. */
  | 'auth.loginRefused'
  | 'auth.password'
  | 'auth.passwordFailed'
  | 'auth.passwordThrottled';

/**
 * Notes an attempt to sign in, once an hour for each account and outcome, with a count: whatever floods the sign-in, the log
 * grows by a few rows an hour for each account that there is, and for all others together.
 * @param attempt `userId`: whose account was tried; null: of nobody that is known. `client`: the last one's keyed name.
 */
export async function recordSignIn(
  sql: Sql,
  {
    action,
    userId,
    organizationId = null,
    client,
  }: { action: SignInAction; userId: string | null; organizationId?: string | null; client: string },
  { now }: { now: Date },
): Promise<void> {
  await countAudit(sql, { at: now, action, userId, organizationId, subjectId: null, details: { client } });
}
