import { z } from 'zod';
import { outboxKinds } from '#db/outbox.ts';
import { listOutbox, retryOutbox } from '#db/outbox-rows.ts';
import { CliError, defineCommand, UsageError } from '#scripts/cli/command.ts';
import { limitOption, limitSchema } from '#scripts/cli/values.ts';
import { moment, table } from '#scripts/cli/output.ts';

const kindOption = { value: 'KIND', about: `Only of this kind: ${outboxKinds.join(', ')}.` };
const kindSchema = z.enum(outboxKinds, `must be one of ${outboxKinds.join(', ')}`).optional();

export const listOutboxCommand = defineCommand({
  name: 'outbox list',
  about: 'Show work that is not handed to Temporal yet, and the reason: parked rows first, then the oldest.',
  isAudited: 'ifPossible',
  options: {
    kind: kindOption,
    state: {
      value: 'waiting|parked',
      about: 'Only rows that wait, or only rows that were parked after twenty failures.',
    },
    limit: limitOption,
  },
  schema: z.strictObject({
    kind: kindSchema,
    state: z.enum(['waiting', 'parked'], 'must be waiting or parked').optional(),
    limit: limitSchema,
  }),
  run: ({ kind, state, limit }, context) =>
    context.withEntities(async (em) => {
      const rows = await listOutbox(em, { kind, limit, isParked: state && state === 'parked' });
      const lines = rows.map((row) => [
        String(row.id),
        row.kind,
        row.subjectId,
        row.parkedAt === null ? 'waiting' : 'parked',
        String(row.attempts),
        moment(row.createdAt),
        row.parkedAt === null ? moment(row.dueAt) : '-',
        row.lastError ?? '-',
      ]);
      const head = ['Id', 'Kind', 'Subject', 'State', 'Tries', 'Since', 'Next try', 'Last error'];
      return { json: { rows }, text: rows.length === 0 ? 'Nothing waits.' : table([head, ...lines]) };
    }),
});

export const retryOutboxCommand = defineCommand({
  name: 'outbox retry',
  about: 'Try parked rows, rows that wait after a failure, and scans that wait for the next day, again at once.',
  isAudited: true,
  options: {
    id: { value: 'ID', about: 'Only this row, by its id in outbox list.' },
    kind: kindOption,
    all: { about: 'All such rows.' },
  },
  schema: z.strictObject({
    id: z.coerce.number('must be the number of a row').int().min(1).optional(),
    kind: kindSchema,
    all: z.literal(true).optional(),
  }),
  run: ({ id, kind, all }, context) => {
    const given = [id, kind, all].filter((value) => value !== undefined).length;
    if (given !== 1) throw new UsageError('Give one of --id, --kind and --all.');
    return context.withEntities(async (em) => {
      const rows = await em.transactional((em) => retryOutbox(em, { id, kind }));
      if (id !== undefined && rows.length === 0)
        throw new CliError(`No row ${id} has failed or waits for the next day.`);
      return { json: { rows }, text: `${rows.length} ${rows.length === 1 ? 'row is' : 'rows are'} tried again now.` };
    });
  },
});
