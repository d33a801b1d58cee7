import { z } from 'zod';
import { triggerSchedule } from '#adapters/temporal/schedules.ts';
import { threatRescanScheduleId } from '#workflows/starts.ts';
import { CliError, defineCommand } from '#scripts/cli/command.ts';

/** `threats rescan` */
export const rescanThreatsCommand = defineCommand({
  name: 'threats rescan',
  about: 'Check again now what links and domains lead to, but for threats whose last answer still holds.',
  isAudited: true,
  options: {},
  schema: z.strictObject({}),
  run: (_values, context) =>
    context.withTemporal(async (client) => {
      const running = await triggerSchedule(client, threatRescanScheduleId);
      if (running === undefined) {
        throw new CliError('Temporal knows no schedule of rescans yet: a worker has to run first.');
      }
      const text =
        running === null
          ? `A rescan begins: look for ${threatRescanScheduleId} in the Temporal UI.`
          : `A rescan is running already: ${running}.`;
      return { json: { scheduleId: threatRescanScheduleId, triggered: running === null, running }, text };
    }),
});
