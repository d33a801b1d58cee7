import { z } from 'zod';
import { stopImport } from '#commands/imports/imports.ts';
import { Import } from '#db/entities/imports.ts';
import { defineCommand } from '#scripts/cli/command.ts';
import { idSchema, limitOption, limitSchema } from '#scripts/cli/values.ts';
import { moment, table } from '#scripts/cli/output.ts';

export const listImportsCommand = defineCommand({
  name: 'import list',
  about: 'Show imports of links, the most recent first.',
  isAudited: 'ifPossible',
  options: {
    org: { value: 'ID', about: 'Only of this organization.' },
    unfinished: { about: 'Only unfinished imports.' },
    limit: limitOption,
  },
  schema: z.strictObject({ org: idSchema.optional(), unfinished: z.boolean().default(false), limit: limitSchema }),
  run: ({ org, unfinished, limit }, context) =>
    context.withEntities(async (em) => {
      const found = await em.getRepository(Import).listAll({ organizationId: org, isUnfinished: unfinished, limit });
      const imports = found.map(present);
      const lines = imports.map((row) => [
        row.id,
        row.organizationId,
        row.state,
        `${row.imported + row.skipped + row.failed} of ${row.total}`,
        moment(row.createdAt),
      ]);
      const head = ['Id', 'Organization', 'State', 'Rows done', 'Since'];
      return { json: { imports }, text: imports.length === 0 ? 'There are none.' : table([head, ...lines]) };
    }),
});

export const stopImportCommand = defineCommand({
  name: 'import stop',
  about: 'End an import early. Links that it has made stay; the rest of its file is not imported.',
  isAudited: true,
  options: { id: { value: 'ID', required: true, about: 'The import.' } },
  schema: z.strictObject({ id: idSchema }),
  run: ({ id }, context) =>
    context.withEntities(async (em) => {
      const stopped = present(await em.transactional((em) => stopImport(em, id, new Date())));
      const done = stopped.imported + stopped.skipped + stopped.failed;
      const subject = { organizationId: stopped.organizationId, id };
      return { json: { import: stopped }, text: `The import ended after ${done} of ${stopped.total} rows.`, subject };
    }),
});

function present(found: Import) {
  const { id, organization, state, total, imported, skipped, failed, createdAt, finishedAt = null } = found;
  return { id, organizationId: organization.id, state, total, imported, skipped, failed, createdAt, finishedAt };
}
