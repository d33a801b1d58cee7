import { type AuditRow, listAudit } from '../../db/audit.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { reading, router } from './context.ts';
import { listInput, readPage } from './lists.ts';

/** What the staff did in the last year. */
export const auditTools = ({ db }: ApiDependencies) =>
  router({
    list: reading
      .input(listInput)
      .query(({ input }) => readPage(input, (query) => listAudit(db, query), { present, cursorOf: ({ id }) => id })),
  });

function present({ at, ...entry }: AuditRow & { email: string | null }) {
  return { ...entry, at: at.toISOString() };
}
