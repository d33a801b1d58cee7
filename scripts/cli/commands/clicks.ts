import { z } from 'zod';
import { isRunning } from '#adapters/temporal/schedules.ts';
import { createStartWorkflow } from '#adapters/temporal/start.ts';
import { moveClicksId, startOfMove } from '#workflows/clicks/move-clicks.ts';
import { CliError, defineCommand } from '#scripts/cli/command.ts';

const stores = ['clickhouse', 'postgresql'] as const;

/** Starts a move, where none runs. */
const command = (name: 'clicks copy' | 'clicks move', about: string, to: readonly (typeof stores)[number][]) =>
  defineCommand({
    name,
    about,
    isAudited: true,
    options: { to: { value: to.join('|'), required: true, about: 'The store that gets the clicks.' } },
    schema: z.strictObject({ to: z.enum(to as [(typeof stores)[number]]) }),
    run: (values, context) =>
      context.withTemporal(async (client, { taskQueue }) => {
        if (await isRunning(client, moveClicksId))
          throw new CliError(`A move runs already: look for ${moveClicksId} in the Temporal UI.`);
        await createStartWorkflow({ client, taskQueue })(
          startOfMove({ to: values.to, removes: name === 'clicks move' }),
        );
        return {
          json: { workflowId: moveClicksId, ...values },
          text: `It begins: look for ${moveClicksId} in the Temporal UI.`,
        };
      }),
  });

export const copyClicksCommand = command(
  'clicks copy',
  'Copy clicks from PostgreSQL to ClickHouse, or back, by a workflow. Nothing is removed; it may be repeated.',
  stores,
);

export const moveClicksCommand = command(
  'clicks move',
  'Copy clicks to ClickHouse, and remove those from PostgreSQL that ClickHouse has.',
  ['clickhouse'],
);
