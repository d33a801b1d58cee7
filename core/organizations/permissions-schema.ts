import { z } from 'zod';
import { actions, type Resource } from './permissions.ts';

const actionsSchema = z
  .array(z.enum(actions))
  .max(100)
  .overwrite((given) => actions.filter((action) => given.includes(action)))
  .optional();

/** A map of resource to actions, as it is given for a key: unknown names are refused, repeated actions count once. */
export const permissionsSchema = z.strictObject({
  shortLinks: actionsSchema,
  domains: actionsSchema,
  stats: actionsSchema,
  files: actionsSchema,
  apiKeys: actionsSchema,
  webhooks: actionsSchema,
} satisfies Record<Resource, typeof actionsSchema>);
