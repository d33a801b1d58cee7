import { z } from 'zod';
import { createSealing } from '../../adapters/sealing.ts';
import { reseal } from '../../commands/reseal.ts';
import { migrate } from '../../db/migrate.ts';
import { defineCommand } from './command.ts';
import { unreachable } from './context.ts';

/** `migrate` */
export const migrateCommand = defineCommand({
  name: 'migrate',
  about: 'Bring the schema of the database up to date.',
  isAudited: true,
  options: {},
  schema: z.strictObject({}),
  async run(_values, context) {
    const url = context.databaseUrl();
    const applied = await migrate(url).catch((error: unknown) => {
      throw unreachable(url, error);
    });
    const text = applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}.`;
    return { json: { applied }, text };
  },
});

/** `secrets reseal` */
export const resealCommand = defineCommand({
  name: 'secrets reseal',
  about: 'Seal everything with the first key of SECRET_KEY; the others may be taken away after that.',
  isAudited: true,
  options: {
    'accept-loss': { about: 'Go on without what none of the keys opens: webhooks then need new secrets.' },
  },
  schema: z.strictObject({ 'accept-loss': z.boolean().optional() }),
  async run({ 'accept-loss': acceptLoss }, context) {
    const sealing = createSealing(context.secretKeys());
    const columns = await context.withDatabase((db) => reseal(db, sealing, { acceptLoss }));
    const fingerprint = sealing.fingerprints[0]!;
    const counts = columns.map(({ table, column, resealed, unreadable }) => {
      return `${table}.${column}: ${resealed} sealed anew${unreadable === 0 ? '' : `, ${unreadable} lost`}`;
    });
    const text = [...counts, `Everything is sealed with the key of fingerprint ${fingerprint}.`].join('\n');
    return { json: { fingerprint, columns }, text };
  },
});
