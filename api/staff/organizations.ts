import { z } from 'zod';
import {
  createOrganization,
  deleteOrganization,
  resumeOrganization,
  setGpc,
  setPlan,
  suspendOrganization,
} from '#commands/organizations/organizations.ts';
import { AppError } from '#core/errors/errors.ts';
import { idSchema } from '#core/links/draft.ts';
import { plans, type Plan } from '#core/organizations/plans.ts';
import { name } from '#core/lib/text.ts';
import {
  readOrganization,
  readOrganizationCounts,
  type StaffOrganizationRow,
} from '#db/organizations/organizations.ts';
import { listOrganizations } from '#db/organizations/staff-lists.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { changing, reading, router } from './context.ts';
import { emailSchema, idInput, listInput, passwordSchema, readPage } from './inputs.ts';

const planSchema = z.enum(Object.keys(plans) as [Plan, ...Plan[]]);
const longestName = 255;

/** All organizations, suspended ones included. */
export const organizationTools = ({ db }: ApiDependencies) =>
  router({
    list: reading
      .input(listInput)
      .query(({ input }) =>
        readPage(input, (query) => listOrganizations(db, query), { present, cursorOf: ({ id }) => id }),
      ),

    /** An organization with its counts of members, links, domains and the like. */
    get: reading.input(idInput).query(async ({ input: { id } }) => {
      const organization = await readOrganization(db, id);
      if (organization === undefined) throw new AppError('NOT_FOUND', `There is no organization ${id}.`);
      return { ...present(organization), counts: await readOrganizationCounts(db, id) };
    }),

    /** Creates an organization and its owner. A password is required only where no user has the e-mail address. */
    create: changing
      .input(
        z.strictObject({
          name: name(longestName),
          plan: planSchema,
          ownerEmail: emailSchema,
          ownerPassword: passwordSchema.optional(),
        }),
      )
      .mutation(({ ctx, input: { name: called, plan, ownerEmail: email, ownerPassword: password } }) =>
        ctx.change(async (tx, options) => {
          const draft = { name: called, plan, owner: { email, password, passwordField: 'ownerPassword' } };
          const { organizationId, ownerId } = await createOrganization(tx, draft, options);
          const organization = present((await readOrganization(tx, organizationId))!);
          return {
            answer: { ...organization, owner: { id: ownerId, email: email.toLowerCase() } },
            organizationId,
            subjectId: organizationId,
            details: { name: called, plan, ownerId },
          };
        }),
      ),

    setPlan: changing
      .input(z.strictObject({ id: idSchema, plan: planSchema }))
      .mutation(({ ctx, input: { id, plan } }) =>
        ctx.change(async (tx) => ({
          answer: present(await setPlan(tx, id, plan)),
          organizationId: id,
          subjectId: id,
          details: { plan },
        })),
      ),

    /** Whether visits with `Sec-GPC: 1` are counted without visitor hash and location. */
    setGpc: changing
      .input(z.strictObject({ id: idSchema, honoursGpc: z.boolean() }))
      .mutation(({ ctx, input: { id, honoursGpc } }) =>
        ctx.change(async (tx) => ({
          answer: present(await setGpc(tx, id, honoursGpc)),
          organizationId: id,
          subjectId: id,
          details: { honoursGpc },
        })),
      ),

    suspend: changing.input(idInput).mutation(({ ctx, input: { id } }) =>
      ctx.change(async (tx, options) => ({
        answer: present(await suspendOrganization(tx, id, options)),
        organizationId: id,
        subjectId: id,
      })),
    ),

    resume: changing.input(idInput).mutation(({ ctx, input: { id } }) =>
      ctx.change(async (tx) => ({
        answer: present(await resumeOrganization(tx, id)),
        organizationId: id,
        subjectId: id,
      })),
    ),

    /** Deletes an organization and all its data, for good. A workflow removes the rows. */
    delete: changing.input(idInput).mutation(({ ctx, input: { id } }) =>
      ctx.change(async (tx, options) => {
        const organization = await readOrganization(tx, id);
        await deleteOrganization(tx, id, options);
        // The row is deleted later, so the audit log keeps the name.
        return { answer: { rowCount: 1 }, organizationId: id, subjectId: id, details: { name: organization!.name } };
      }),
    ),
  });

function present({ id, name: called, plan, suspendedAt, honoursGpc, createdAt, updatedAt }: StaffOrganizationRow) {
  return {
    id,
    name: called,
    plan,
    isSuspended: suspendedAt !== null,
    suspendedAt: suspendedAt?.toISOString() ?? null,
    honoursGpc,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
