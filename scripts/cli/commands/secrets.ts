import { z } from 'zod';
import { createSealing } from '#adapters/sealing.ts';
import { reseal } from '#commands/reseal.ts';
import { edgeKeyOf, writeEdgeKey } from '#core/secrets/edge-key.ts';
import { defineCommand } from '#scripts/cli/command.ts';

/** `secrets edge` */
export const edgeSecretCommand = defineCommand({
  name: 'secrets edge',
  about: 'Print EDGE_SECRET_KEY: what edges need of SECRET_KEY, and nothing that opens what is sealed.',
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
