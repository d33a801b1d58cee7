import { v7 as uuidv7 } from 'uuid';
import { type AuditRow, insertAuditRow } from '../db/audit.ts';
import type { Sql } from '../db/database.ts';

/** What one of the staff does: who, what by the name of its procedure, to whom, and to which row. */
export type StaffAction = Omit<AuditRow, 'id' | 'at'>;

/** Notes in the audit log, in the transaction of the change itself, what one of the staff does: both are there or neither. */
export async function recordAction(tx: Sql, action: StaffAction, { now }: { now: Date }): Promise<void> {
  await insertAuditRow(tx, { id: uuidv7(), at: now, ...action });
}
