import { z } from 'zod';
import { grantEdgeRole } from '#db/connection/edge-role.ts';
import { compareSchema, migrate } from '#db/migrations/migrate.ts';
import { findMissingTables, migrateClickHouse } from '#db/clicks/clickhouse/schema.ts';
import type { ClickHouse } from '#db/connection/clickhouse/clickhouse.ts';
import { clickHouseErrorType } from '#db/connection/errors.ts';
import { CliError, type CommandContext, defineCommand, type Outcome } from '#scripts/cli/command.ts';
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
    if (check) return await checkSchema(url, context);
    const applied = await migrate(url).catch((error: unknown) => {
      throw unreachable(url, error);
    });
    const hasClickHouse = await inClickHouse(context, async (clickhouse) => {
      await migrateClickHouse(clickhouse);
      return true;
    });
    if (edgeRole !== undefined) await grantEdgeRole(url, edgeRole);
    const text = [
      applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}.`,
      ...(hasClickHouse === true ? ['ClickHouse has its tables of clicks.'] : []),
      ...(edgeRole === undefined ? [] : [`${edgeRole} has the rights of an edge.`]),
    ].join('\n');
    return { json: { applied, ...(edgeRole !== undefined && { edgeRole }) }, text };
  },
});

/**
 * @returns undefined without a ClickHouse.
 * @throws CliError where it cannot be reached or refuses.
 */
async function inClickHouse<T>(
  context: CommandContext,
  work: (clickhouse: ClickHouse) => Promise<T>,
): Promise<T | undefined> {
  const clickhouse = await context.openClickHouse();
  if (clickhouse === undefined) return undefined;
  try {
    return await work(clickhouse);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const reason = clickHouseErrorType(error) ?? (message === '' ? code : message);
    throw new CliError(`The ClickHouse of CLICKHOUSE_URL cannot be used: ${reason}`, { cause: error });
  } finally {
    await clickhouse.close();
  }
}

async function checkSchema(url: string, context: CommandContext): Promise<Outcome> {
  const { pending, statements } = await compareSchema(url).catch((error: unknown) => {
    throw unreachable(url, error);
  });
  const missing = (await inClickHouse(context, findMissingTables)) ?? [];
  const lines = [
    ...(missing.length === 0 ? [] : [`ClickHouse lacks: ${missing.join(', ')}.`]),
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
  const json = { pending, statements, ...(missing.length > 0 && { clickhouse: missing }) };
  return { json, text: hasFailed ? lines.join('\n') : 'The schema is up to date.', hasFailed };
}
