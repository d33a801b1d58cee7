import { z } from 'zod';
import { createSealing } from '#adapters/sealing.ts';
import { reseal } from '#commands/reseal.ts';
import { edgeKeyOf, writeEdgeKey } from '#core/secrets/edge-key.ts';
import { defineCommand } from '#scripts/cli/command.ts';

export const edgeSecretCommand = defineCommand({
  name: 'secrets edge',
  about: 'Print EDGE_SECRET_KEY: keys for edges, derived from SECRET_KEY, which cannot open sealed secrets.',
  isAudited: false,
  options: {},
  schema: z.strictObject({}),
  async run(_values, context) {
    const value = context
      .secretKeys()
      .map((key) => writeEdgeKey(edgeKeyOf(key)))
      .join(',');
    return { json: { EDGE_SECRET_KEY: value }, text: value };
  },
});

export const resealCommand = defineCommand({
  name: 'secrets reseal',
  about: 'Seal all sealed values again with the first key of SECRET_KEY; the other keys may be removed afterwards.',
  isAudited: true,
  options: {
    'accept-loss': {
      about: 'Continue where no key opens a value, which is then lost: a webhook without its secret needs a new one.',
    },
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
