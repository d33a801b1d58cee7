import { z } from 'zod';
import { plans, type Quota } from '#core/organizations/plans.ts';
import { threatPolicies } from '#core/threats/policy.ts';

const planNames = Object.keys(plans) as [keyof typeof plans];
const threatPolicySchema = z
  .enum(threatPolicies)
  .describe('What visitors of links with known threats get: a warning, the destination, or a refusal.');

const quotaShape = <Schema extends z.ZodType>(schema: Schema): Record<Quota, Schema> => ({
  shortLinks: schema,
  domains: schema,
  tags: schema,
  folders: schema,
  webhooks: schema,
  fileBytes: schema,
});

/** The caller's organization, with what its plan allows and what it uses. */
export const organizationSchema = z
  .strictObject({
    id: z.guid(),
    name: z.string(),
    plan: z.enum(planNames),
    threatPolicy: threatPolicySchema,
    quotas: z
      .strictObject(quotaShape(z.int().nullable().describe('The most that the plan allows; null: no limit.')))
      .describe('What the plan allows.'),
    usage: z
      .strictObject(quotaShape(z.int().describe('How many there are.')))
      .describe('What counts against the plan.'),
  })
  .meta({ id: 'Organization' });

/** An organization as clients receive it. */
export type OrganizationAnswer = z.output<typeof organizationSchema>;

// What GET returns can be sent back.
const readOnly = z.unknown().optional().describe('Read-only: ignored when sent.');

/** The body of PATCH /organization: sent fields change. */
export const patchOrganizationSchema = z
  .strictObject({
    threatPolicy: threatPolicySchema.optional(),
    id: readOnly,
    name: readOnly,
    plan: readOnly,
    quotas: readOnly,
    usage: readOnly,
  })
  .meta({ id: 'UpdateOrganization', example: { threatPolicy: 'block' } });
