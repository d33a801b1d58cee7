import { z } from 'zod';
import { grantEdgeRole } from '#db/connection/edge-role.ts';
import { compareSchema, migrate } from '#db/migrations/migrate.ts';
import { migrateClickHouse } from '#db/clicks/clickhouse/schema.ts';
import { defineCommand, type Outcome } from '#scripts/cli/command.ts';
import { unreachable } from '#scripts/cli/context.ts';

export const migrateCommand = defineCommand({
  name: 'migrate',
  about: 'Bring the schema of the database up to date.',
  isAudited: true,
  // The check must also work where the table of the audit log differs.
  changesNothing: ({ check }) => check,
  options: {
    check: { about: 'Change nothing. Show the differences; the exit code is 1 if there are any.' },
    'edge-role': { value: 'NAME', about: 'Give this role of the database the rights of an edge, and no others.' },
  },
  schema: z
    .strictObject({ check: z.boolean().default(false), 'edge-role': z.string().min(1).max(63).optional() })
    .refine(({ check, 'edge-role': edgeRole }) => !check || edgeRole === undefined, {
      path: ['check'],
      message: 'changes nothing, so it cannot be combined with --edge-role',
    }),
  async run({ check, 'edge-role': edgeRole }, context) {
    const url = context.databaseUrl();
    if (check) return await checkSchema(url);
    const applied = await migrate(url).catch((error: unknown) => {
      throw unreachable(url, error);
    });
    const clickhouse = await context.openClickHouse();
    try {
      if (clickhouse !== undefined) await migrateClickHouse(clickhouse);
    } finally {
      await clickhouse?.close();
    }
    if (edgeRole !== undefined) await grantEdgeRole(url, edgeRole);
    const text = [
      applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}.`,
      ...(clickhouse === undefined ? [] : ['ClickHouse has its table of clicks.']),
      ...(edgeRole === undefined ? [] : [`${edgeRole} has the rights of an edge.`]),
    ].join('\n');
    return { json: { applied, ...(edgeRole !== undefined && { edgeRole }) }, text };
  },
});

async function checkSchema(url: string): Promise<Outcome> {
  const { pending, statements } = await compareSchema(url).catch((error: unknown) => {
    throw unreachable(url, error);
  });
  const lines = [
    ...(pending.length === 0 ? [] : [`Not applied: ${pending.join(', ')}.`]),
    ...(statements.length === 0
      ? []
      : [
          pending.length === 0
            ? 'The database differs from this version, and no migration repairs it. These statements would:'
            : 'The database differs from this version. `migrate` may repair all of it; these statements would:',
          ...statements.map((statement) => `  ${statement};`),
        ]),
  ];
  const hasFailed = lines.length > 0;
  return { json: { pending, statements }, text: hasFailed ? lines.join('\n') : 'The schema is up to date.', hasFailed };
}
