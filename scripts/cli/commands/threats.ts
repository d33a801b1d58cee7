import { z } from 'zod';
import { triggerSchedule } from '#adapters/temporal/schedules.ts';
import { threatRescanScheduleId } from '#workflows/threats/rescan.ts';
import { CliError, defineCommand } from '#scripts/cli/command.ts';

export const rescanThreatsCommand = defineCommand({
  name: 'threats rescan',
  about:
    'Scan the destinations of all links and domains again now, except known threats whose verdict has not expired.',
  isAudited: true,
  options: {},
  schema: z.strictObject({}),
  run: (_values, context) =>
    context.withTemporal(async (client) => {
      const running = await triggerSchedule(client, threatRescanScheduleId);
      if (running === undefined) {
        throw new CliError('Temporal has no schedule of rescans yet: start a worker, which creates it.');
      }
      const text =
        running === null
          ? `A rescan begins: look for ${threatRescanScheduleId} in the Temporal UI.`
          : `A rescan is running already: ${running}.`;
      return { json: { scheduleId: threatRescanScheduleId, triggered: running === null, running }, text };
    }),
});
