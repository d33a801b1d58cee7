import { z } from 'zod';
import { readOnly, name } from '#core/lib/schemas.ts';
import { roles } from '#core/organizations/permissions.ts';
import { plans, type Quota } from '#core/organizations/plans.ts';
import { threatPolicies } from '#core/threats/policy.ts';
import type { Membership } from '#db/entities/accounts/people.ts';
import { pagingShape, searchSchema } from '#api/query.ts';
import { momentSchema, pageSchema } from '#api/schemas.ts';

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
      .describe('What counts against the plan; for a restricted key, of what it reaches.'),
  })
  .meta({ id: 'Organization', description: "The caller's organization, with what its plan allows and what it uses." });

export type OrganizationAnswer = z.output<typeof organizationSchema>;

const roleSchema = z.enum(roles).describe('Owners and admins manage keys and people; members do all the rest.');

export const memberSchema = z
  .strictObject({
    id: z.guid().describe('Of the user.'),
    email: z.string().meta({ example: 'ada@example.com' }),
    name: z.string().meta({ example: 'Ada Lovelace' }),
    role: roleSchema,
    createdAt: momentSchema.describe('When the person joined.'),
  })
  .meta({ id: 'Member', description: "A person of the caller's organization." });

export const memberListSchema = pageSchema(memberSchema, 'MemberPage', 'A page of members.');

export const memberListQuerySchema = z.strictObject({
  search: searchSchema.describe('Matches name or e-mail, without regard to case.'),
  ...pagingShape,
});

/** The body of PATCH /organization/members/{id}: what GET shows can be sent back. */
export const patchMemberSchema = z
  .strictObject({
    role: roleSchema.optional(),
    ...readOnly('id', 'email', 'name', 'createdAt'),
  })
  .meta({ id: 'UpdateMember', description: 'A role to give.', example: { role: 'admin' } });

export function presentMember({ user, role, createdAt }: Membership): z.output<typeof memberSchema> {
  return { id: user.id, email: user.email!, name: user.name, role, createdAt: createdAt.toISOString() };
}

/** The body of PATCH /organization: sent fields change. */
export const patchOrganizationSchema = z
  .strictObject({
    name: name(100).optional(),
    threatPolicy: threatPolicySchema.optional(),
    ...readOnly('id', 'plan', 'quotas', 'usage'),
  })
  .meta({
    id: 'UpdateOrganization',
    description: 'The fields of an organization to change.',
    example: { threatPolicy: 'block' },
  });
