import { type AuditListRow, listAudit } from '#db/organizations/audit.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { readingSystem, router } from './context.ts';
import { listInput, readPage } from './lists.ts';

/** What staff and CLI did in the last year, what the staff looked at, and who signed in. */
export const auditTools = ({ db }: ApiDependencies) =>
  router({
    list: readingSystem
      .input(listInput)
      .query(({ input }) => readPage(input, (query) => listAudit(db, query), { present, cursorOf: ({ id }) => id })),
  });

function present({ at, lastAt, ...entry }: AuditListRow) {
  return { ...entry, at: at.toISOString(), lastAt: lastAt.toISOString() };
}
