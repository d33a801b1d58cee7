import { z } from 'zod';
import { lengths } from '#core/lengths.ts';
import {
  createOrganization,
  deleteOrganization,
  resumeOrganization,
  suspendOrganization,
  updateOrganization,
} from '#commands/organizations/organizations.ts';
import { beginView, endView } from '#commands/organizations/staff-views.ts';
import { idSchema } from '#core/links/draft.ts';
import { planNames } from '#core/organizations/plans.ts';
import { name } from '#core/lib/schemas.ts';
import { threatPolicies } from '#core/threats/policy.ts';
import { Organization } from '#db/entities/accounts/people.ts';
import { listOrganizations, type StaffOrganization } from '#db/organizations/staff-lists.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { emailInputSchema } from '#api/schemas.ts';
import { changing, reading, readingSystem, router } from '#api/staff/context.ts';
import { idInput, listInput, passwordSchema, readPage, reasonSchema } from '#api/staff/inputs.ts';

const planSchema = z.enum(planNames);

export const organizationTools = ({ isBreached }: Pick<ApiDependencies, 'isBreached'>) =>
  router({
    list: reading
      .input(listInput)
      .query(({ ctx, input }) =>
        readPage(input, (query) => listOrganizations(ctx.em, query), { present, cursorOf: ({ id }) => id }),
      ),

    /** An organization with its counts of members, links, domains and the like. */
    get: reading.input(idInput).query(async ({ ctx, input: { id } }) => {
      const organizations = ctx.em.getRepository(Organization);
      return { ...present(await organizations.get(id)), counts: await organizations.counts(id) };
    }),

    /** Creates an organization and its owner. A password is required where no user has the e-mail address, and refused for one who has. */
    create: changing
      .input(
        z.strictObject({
          name: name(lengths.organizationName),
          plan: planSchema,
          ownerEmail: emailInputSchema,
          ownerPassword: passwordSchema.optional(),
        }),
      )
      .mutation(({ ctx, input: { name: called, plan, ownerEmail: email, ownerPassword: password } }) =>
        ctx.change(async (em, options) => {
          const draft = { name: called, plan, owner: { email, password, passwordField: 'ownerPassword', isBreached } };
          const { organizationId, ownerId, isNewAccount } = await createOrganization(em, draft, options.now);
          const organization = present(await em.getRepository(Organization).get(organizationId));
          return {
            answer: { ...organization, owner: { id: ownerId, email: email.toLowerCase(), isNewAccount } },
            organizationId,
            subjectId: organizationId,
            details: { name: called, plan, ownerId },
          };
        }),
      ),

    setPlan: changing
      .input(z.strictObject({ id: idSchema, plan: planSchema }))
      .mutation(({ ctx, input: { id, plan } }) =>
        ctx.change(async (em) => changed(await updateOrganization(em, id, { plan }), { plan })),
      ),

    /** Whether visits with `Sec-GPC: 1` are counted without visitor hash and location. */
    setGpc: changing
      .input(z.strictObject({ id: idSchema, honoursGpc: z.boolean() }))
      .mutation(({ ctx, input: { id, honoursGpc } }) =>
        ctx.change(async (em) => changed(await updateOrganization(em, id, { honoursGpc }), { honoursGpc })),
      ),

    /** What visitors of its links with known threats get. */
    setThreatPolicy: changing
      .input(z.strictObject({ id: idSchema, threatPolicy: z.enum(threatPolicies) }))
      .mutation(({ ctx, input: { id, threatPolicy } }) =>
        ctx.change(async (em) => changed(await updateOrganization(em, id, { threatPolicy }), { threatPolicy })),
      ),

    /** The reason is shown to its members, and to callers with its keys. */
    suspend: changing
      .input(z.strictObject({ id: idSchema, reason: reasonSchema.optional() }))
      .mutation(({ ctx, input: { id, reason } }) =>
        ctx.change(async (em, { now }) => changed(await suspendOrganization(em, id, { now, reason }), { reason })),
      ),

    resume: changing
      .input(idInput)
      .mutation(({ ctx, input: { id } }) => ctx.change(async (em) => changed(await resumeOrganization(em, id)))),

    /** For an hour, GET calls of the REST API with this session answer as the organization's, and others are refused. */
    view: changing
      .input(z.strictObject({ id: idSchema, reason: reasonSchema }))
      .mutation(({ ctx, input: { id, reason } }) =>
        ctx.change(async (em, options) => {
          const { name: called } = await em.getRepository(Organization).get(id);
          const session = { id: ctx.session.id, userId: ctx.userId };
          const until = await beginView(em, session, { organizationId: id, reason }, options.now);
          const answer = { organizationId: id, name: called, until: until.toISOString() };
          return { answer, organizationId: id, subjectId: id, details: { reason, until: answer.until } };
        }),
      ),

    /** Ends the view of this session. It records its own end, as the end by time does. */
    endView: readingSystem.input(z.strictObject({}).prefault({})).mutation(async ({ ctx: { em, session, clock } }) => {
      const hasEnded = await em.transactional((em) => endView(em, session.id, clock()));
      return { rowCount: hasEnded ? 1 : 0 };
    }),

    /** Deletes an organization and all its data, for good. A workflow removes the rows. */
    delete: changing.input(idInput).mutation(({ ctx, input: { id } }) =>
      ctx.change(async (em, options) => {
        const { name: called } = await em.getRepository(Organization).get(id);
        await deleteOrganization(em, id, options.now);
        // The row is deleted later, so the audit log keeps the name.
        return { answer: { rowCount: 1 }, organizationId: id, subjectId: id, details: { name: called } };
      }),
    ),
  });

/** What a change of an organization answers, and what the audit log has of it. */
function changed(organization: StaffOrganization, details?: Record<string, unknown>) {
  const { id } = organization;
  return { answer: present(organization), organizationId: id, subjectId: id, details };
}

function present(organization: StaffOrganization) {
  const { id, name: called, plan, suspendedAt, suspensionReason = null, honoursGpc, threatPolicy } = organization;
  return {
    id,
    name: called,
    plan,
    isSuspended: suspendedAt !== null,
    suspendedAt: suspendedAt?.toISOString() ?? null,
    suspensionReason,
    honoursGpc,
    threatPolicy,
    createdAt: organization.createdAt.toISOString(),
    updatedAt: organization.updatedAt.toISOString(),
  };
}
