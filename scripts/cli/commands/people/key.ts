import type { EntityManager } from '#db/connection/entity-manager.ts';
import { z } from 'zod';
import { createKey } from '#commands/organizations/api-keys.ts';
import { findUserByEmail } from '#commands/accounts/people.ts';
import { toIssues } from '#core/errors/issues.ts';
import { keyTypes, permissionsSchema } from '#core/organizations/permissions.ts';
import { momentInputSchema, name } from '#core/lib/schemas.ts';
import { type ApiKey, Membership, Organization } from '#db/entities/accounts/people.ts';
import { defineCommand, UsageError } from '#scripts/cli/command.ts';
import { idSchema } from '#scripts/cli/values.ts';
import { table } from '#scripts/cli/output.ts';

const permissionsOption = z.string().transform((text, context) => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be JSON' });
    return z.NEVER;
  }
  const parsed = permissionsSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  for (const { path, message } of toIssues(parsed.error.issues).issues) {
    context.addIssue({ code: 'custom', path: path === '' ? [] : [path], message });
  }
  return z.NEVER;
});

const defaultNames = { bot: 'Bot key', user: 'User key', integration: 'Integration key' };

export const createKeyCommand = defineCommand({
  name: 'key create',
  about: 'Create an API key. Its value is shown only now.',
  isAudited: true,
  options: {
    org: { value: 'ID', required: true, about: 'The organization.' },
    type: {
      value: 'bot|user|integration',
      required: true,
      about: 'One bot key per organization, one user key per member, an integration key per program.',
    },
    user: { value: 'ID|EMAIL', about: 'The member who owns a user key. Default: the owner of the organization.' },
    permissions: {
      value: 'JSON',
      required: true,
      about: `Resources and actions, such as '{"shortLinks":["create","read"],"stats":["read"]}'.`,
    },
    name: { value: 'NAME', about: 'Name of the key.' },
    expires: { value: 'MOMENT', about: 'The end of the key, such as 2027-01-31T12:00:00Z. Default: none.' },
  },
  schema: z.strictObject({
    org: idSchema,
    type: z.enum(keyTypes, { error: 'must be bot, user or integration' }),
    user: z.union([z.guid(), z.email()], { error: 'must be an id or an e-mail address' }).optional(),
    permissions: permissionsOption,
    name: name(255).optional(),
    expires: momentInputSchema.optional(),
  }),
  async run({ org, type, user, permissions, name: called, expires: expiresAt }, context) {
    if (type !== 'user' && user !== undefined) throw new UsageError('--user: goes with --type user only');
    const holder =
      type !== 'user' ? { type } : { type, userId: await context.withEntities((em) => findHolder(em, org, user)) };
    const draft = { organizationId: org, name: called ?? defaultNames[type], permissions, expiresAt };
    const created = await context.withEntities((em) =>
      em.transactional(async (em) => {
        const { key, value } = await createKey(em, { ...draft, ...holder }, { now: new Date() });
        return presentCreated(key, value);
      }),
    );
    const rows: [string, string][] = [
      ['Key', `${created.key}  (shown only now)`],
      ['Name', created.name],
      ['Id', created.id],
    ];
    return { json: created, text: table(rows), subject: { organizationId: org, id: created.id } };
  },
});

/** The given user, otherwise the organization's first owner. */
async function findHolder(em: EntityManager, organizationId: string, user: string | undefined): Promise<string> {
  await em.getRepository(Organization).get(organizationId);
  if (user !== undefined) return user.includes('@') ? (await findUserByEmail(em, user)).id : user;
  const where = { organization: organizationId, role: 'owner' } as const;
  const owner = await em.findOne(Membership, where, { orderBy: { createdAt: 'asc' } });
  if (owner === null) throw new UsageError('--user: must be given, since the organization has no owner');
  return owner.user.id;
}

function presentCreated(key: ApiKey, value: string) {
  const { id, type, name: called, permissions, last4, createdAt, lastUsedAt = null, expiresAt = null } = key;
  const holder = { organizationId: key.organization.id, userId: key.user.id };
  return { key: value, id, ...holder, type, name: called, permissions, last4, createdAt, lastUsedAt, expiresAt };
}
