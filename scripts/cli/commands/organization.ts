import { z } from 'zod';
import {
  createOrganization,
  deleteOrganization,
  resumeOrganization,
  setPlan,
  suspendOrganization,
} from '#commands/organizations/organizations.ts';
import { findUserByEmail } from '#commands/accounts/people.ts';
import type { Storage } from '#core/files/storage.ts';
import { name, trimmed } from '#core/lib/text.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { Organization } from '#db/entities/people.ts';
import { type ExportLine, readExport } from '#db/organizations/export.ts';
import { type CommandContext, defineCommand } from '#scripts/cli/command.ts';
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

/** `org create` */
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
      em.transactional((em) => createOrganization(em, draft, { now: new Date() })),
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

/** `org set-plan` */
export const setPlanCommand = defineCommand({
  name: 'org set-plan',
  about: 'Change the plan of an organization, with immediate effect.',
  isAudited: true,
  options: {
    org: { value: 'ID', required: true, about: 'The organization.' },
    plan: { value: 'free|premium', required: true, about: 'The new plan.' },
  },
  schema: z.strictObject({ org: idSchema, plan: planSchema }),
  run: ({ org, plan }, context) =>
    context.withEntities(async (em) => {
      const organization = presentOrganization(await em.transactional((em) => setPlan(em, org, plan)));
      const text = `${organization.name} is on the plan ${organization.plan} now.`;
      return { json: { organization }, text, subject: { organizationId: org, id: org } };
    }),
});

const organizationOption = { value: 'ID', required: true, about: 'The organization.' };

/** `org suspend` */
export const suspendOrganizationCommand = defineCommand({
  name: 'org suspend',
  about: 'Suspend an organization: its keys, sessions, domains and links are refused, its webhooks wait.',
  isAudited: true,
  options: {
    org: organizationOption,
    reason: { value: 'TEXT', about: 'What its members and callers with its keys are told.' },
  },
  schema: z.strictObject({ org: idSchema, reason: trimmed(500).optional() }),
  async run({ org, reason }, context) {
    const suspended = await change(context, (em) => suspendOrganization(em, org, { now: new Date(), reason }));
    const organization = presentOrganization(suspended);
    const text = `${organization.name} is suspended now.`;
    return { json: { organization }, text, subject: { organizationId: org, id: org } };
  },
});

/** `org resume` */
export const resumeOrganizationCommand = defineCommand({
  name: 'org resume',
  about: 'End the suspension of an organization.',
  isAudited: true,
  options: { org: organizationOption },
  schema: z.strictObject({ org: idSchema }),
  async run({ org }, context) {
    const organization = presentOrganization(await change(context, (em) => resumeOrganization(em, org)));
    const text = `${organization.name} is not suspended any more.`;
    return { json: { organization }, text, subject: { organizationId: org, id: org } };
  },
});

/** `org delete` */
export const deleteOrganizationCommand = defineCommand({
  name: 'org delete',
  about: 'Delete an organization with all its data. This cannot be undone.',
  isAudited: true,
  options: { org: organizationOption, yes: { required: true, about: 'Confirm the deletion.' } },
  schema: z.strictObject({ org: idSchema, yes: z.literal(true) }),
  async run({ org }, context) {
    await change(context, (em) => deleteOrganization(em, org, { now: new Date() }));
    const text = `The organization is deleted. Its data are being removed: look for delete-organization/${org} in the Temporal UI.`;
    const subject = { organizationId: org, id: org };
    return { json: { organizationId: org, workflowId: `delete-organization/${org}` }, text, subject };
  },
});

/** `organization export` */
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
      await em.transactional(
        async (em) => {
          let lines = 0;
          for await (const line of readExport(em, org)) {
            await write(`${JSON.stringify(line.type === 'file' ? await withContent(line, storage) : line)}\n`);
            lines += 1;
          }
          await write(`${JSON.stringify({ type: 'end', data: { lines } })}\n`);
        },
        { statementTimeoutMs: 0 },
      );
      return { json: undefined, text: '', subject: { organizationId: org, id: org } };
    }),
});

/** Adds a file's content in base64 (files have at most 1 MiB); null where the storage has no content. */
async function withContent({ type, data }: ExportLine, storage: Storage): Promise<ExportLine> {
  const bytes = await storage.get(String(data.key));
  return { type, data: { ...data, content: bytes?.toString('base64') ?? null } };
}

/** Runs a change in one transaction. */
function change<T>(context: CommandContext, work: (em: EntityManager) => Promise<T>): Promise<T> {
  return context.withEntities((em) => em.transactional(work));
}

type Shown = Pick<Organization, 'id' | 'name' | 'plan' | 'suspendedAt' | 'honoursGpc' | 'createdAt' | 'updatedAt'>;

function presentOrganization({ id, name: called, plan, suspendedAt, honoursGpc, createdAt, updatedAt }: Shown) {
  return { id, name: called, plan, isSuspended: suspendedAt !== null, honoursGpc, createdAt, updatedAt };
}
