import { z } from 'zod';
import { createOrganization } from '#commands/organizations/organizations.ts';
import { findUserByEmail } from '#commands/accounts/people.ts';
import type { Storage } from '#core/files/storage.ts';
import { name } from '#core/lib/schemas.ts';
import { Organization } from '#db/entities/accounts/people.ts';
import { readCurrentStore } from '#db/clicks/stores/current-store.ts';
import { type ExportLine, readExport } from '#db/organizations/export.ts';
import { CliError, defineCommand } from '#scripts/cli/command.ts';
import { presentUser } from './user.ts';
import {
  emailSchema,
  idSchema,
  passwordOptions,
  passwordSchema,
  planSchema,
  readPassword,
} from '#scripts/cli/values.ts';
import { table, writerTo } from '#scripts/cli/output.ts';

export const createOrganizationCommand = defineCommand({
  name: 'org create',
  about: 'Create an organization and its owner.',
  isAudited: true,
  options: {
    name: { value: 'NAME', required: true, about: 'Name of the organization.' },
    plan: { value: 'free|premium', required: true, about: 'Plan of the organization.' },
    'owner-email': {
      value: 'EMAIL',
      required: true,
      about: 'E-mail of the owner. An existing user with this e-mail, which must be verified, becomes the owner.',
    },
    ...passwordOptions('owner-password', 'Password of a new user; refused for an existing one.'),
  },
  schema: z.strictObject({
    name: name(255),
    plan: planSchema,
    'owner-email': emailSchema,
    'owner-password': passwordSchema.optional(),
    'owner-password-stdin': z.boolean().optional(),
  }),
  async run(values, context) {
    const given = { given: values['owner-password'], fromStdin: values['owner-password-stdin'] };
    const password = await readPassword('owner-password', given, context);
    const { name: called, plan, 'owner-email': email } = values;
    const draft = {
      name: called,
      plan,
      owner: { email, password, passwordField: 'owner-password', isBreached: context.isBreached },
    };
    const { organizationId, isNewAccount } = await context.withEntities((em) =>
      em.transactional((em) => createOrganization(em, draft, new Date())),
    );
    return context.withEntities(async (em) => {
      const organization = presentOrganization(await em.getRepository(Organization).get(organizationId));
      const owner = presentUser(await findUserByEmail(em, email));
      const text = table([
        ['Organization', `${organization.name} (${organization.plan})  ${organization.id}`],
        ['Owner', `${owner.email} (${isNewAccount ? 'new account' : 'existing account'})  ${owner.id}`],
      ]);
      const subject = { organizationId, id: organizationId };
      return { json: { organization, owner, isNewAccount }, text, subject };
    });
  },
});

export const exportOrganizationCommand = defineCommand({
  name: 'organization export',
  about: 'Write all data of an organization, without secrets, as lines of JSON; the last line has the number of lines.',
  isAudited: true,
  options: { org: { value: 'ID', required: true, about: 'The organization.' } },
  schema: z.strictObject({ org: idSchema }),
  run: ({ org }, context) =>
    context.withEntities(async (em) => {
      await em.getRepository(Organization).get(org);
      const write = writerTo(context.stdout);
      const storage = context.openStorage();
      const clickhouse = await context.openClickHouse();
      if (clickhouse === undefined && (await readCurrentStore(em)) === 'clickhouse')
        throw new CliError('Clicks are in ClickHouse: set CLICKHOUSE_URL as for the API.');
      await em.transactional(
        async (em) => {
          let lines = 0;
          for await (const line of readExport(em, org, clickhouse)) {
            await write(`${JSON.stringify(line.type === 'file' ? await withContent(line, storage) : line)}\n`);
            lines += 1;
          }
          await write(`${JSON.stringify({ type: 'end', data: { lines } })}\n`);
        },
        { statementTimeoutMs: 0 },
      );
      await clickhouse?.close();
      return { json: undefined, text: '', subject: { organizationId: org, id: org } };
    }),
});

/** Adds a file's content in base64 (files have at most 1 MiB); null where the storage has no content. */
async function withContent({ type, data }: ExportLine, storage: Storage): Promise<ExportLine> {
  const bytes = await storage.get(String(data.key));
  return { type, data: { ...data, content: bytes?.toString('base64') ?? null } };
}

type Shown = Pick<Organization, 'id' | 'name' | 'plan' | 'suspendedAt' | 'honoursGpc' | 'createdAt' | 'updatedAt'>;

function presentOrganization({ id, name: called, plan, suspendedAt, honoursGpc, createdAt, updatedAt }: Shown) {
  return { id, name: called, plan, isSuspended: suspendedAt !== null, honoursGpc, createdAt, updatedAt };
}
