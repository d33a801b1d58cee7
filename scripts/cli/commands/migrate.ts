import { z } from 'zod';
import { grantEdgeRole } from '#db/connection/edge-role.ts';
import { migrate } from '#db/connection/migrate.ts';
import { defineCommand } from '#scripts/cli/command.ts';
import { unreachable } from '#scripts/cli/context.ts';

/** `migrate` */
export const migrateCommand = defineCommand({
  name: 'migrate',
  about: 'Bring the schema of the database up to date.',
  isAudited: true,
  options: {
    'edge-role': { value: 'NAME', about: 'Give this role of the database the rights of an edge, and no others.' },
  },
  schema: z.strictObject({ 'edge-role': z.string().min(1).max(63).optional() }),
  async run({ 'edge-role': edgeRole }, context) {
    const url = context.databaseUrl();
    const applied = await migrate(url).catch((error: unknown) => {
      throw unreachable(url, error);
    });
    if (edgeRole !== undefined) await grantEdgeRole(url, edgeRole);
    const text = [
      applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}.`,
      ...(edgeRole === undefined ? [] : [`${edgeRole} has the rights of an edge.`]),
    ].join('\n');
    return { json: { applied, ...(edgeRole !== undefined && { edgeRole }) }, text };
  },
});
