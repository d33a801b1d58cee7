import { z } from 'zod';
import { idSchema } from '#core/links/draft.ts';
import { type Plan, plans } from '#core/organizations/plans.ts';
import { roles } from '#core/organizations/permissions.ts';
import { text } from '#core/lib/text.ts';
import type { SessionView } from '#db/organizations/sessions.ts';

const id = z.guid();
const longestEmail = 254;
const longestPassword = 128;

const organizationSchema = z
  .strictObject({
    id,
    name: z.string().meta({ example: 'Example Ltd' }),
    plan: z.enum(Object.keys(plans) as [Plan, ...Plan[]]),
    role: z.enum(roles).describe('The role of the user in the organization.'),
  })
  .meta({ id: 'OwnOrganization' });

/** The signed-in user and the organization of the session. */
export const sessionSchema = z
  .strictObject({
    user: z.strictObject({
      id,
      email: z.string(),
      name: z.string().meta({ example: 'Ada Lovelace' }),
      isStaff: z.boolean().describe('Whether the user may use the internal tools.'),
      organizations: z.array(organizationSchema).describe('All organizations of the user, the first joined first.'),
    }),
    organization: organizationSchema.describe('The organization of this session.'),
  })
  .meta({ id: 'Session' });

type OwnOrganization = z.output<typeof organizationSchema>;

export function presentSession({ session, memberships }: SessionView): z.output<typeof sessionSchema> {
  const { user } = session;
  const organizations = memberships.map(({ organization: { id, name, plan }, role }): OwnOrganization => {
    return { id, name, plan, role };
  });
  const here = organizations.find(({ id }) => id === session.organization.id)!;
  return {
    user: { id: user.id, email: user.email!, name: user.name, isStaff: user.isStaff, organizations },
    organization: here,
  };
}

const password = text({ min: 1, max: longestPassword });

/** The body of POST /auth/login. */
export const loginSchema = z
  .strictObject({
    email: text({ max: longestEmail })
      .overwrite((value) => value.trim())
      .pipe(z.email('must be an e-mail address')),
    password,
  })
  .meta({ id: 'SignIn', example: { email: 'ada@example.com', password: 'correct horse battery staple' } });

/** The body of POST /auth/organization. */
export const changeOrganizationSchema = z
  .strictObject({ id: idSchema.describe('The id of an organization of the user.') })
  .meta({ id: 'SwitchOrganization', example: { id: '01934f6a-7a1c-7b53-8d6e-2f1f6f3b9a10' } });

/** The body of POST /auth/password. */
export const changePasswordSchema = z
  .strictObject({ current: password, next: text({ min: 8, max: longestPassword }) })
  .meta({ id: 'ChangePassword', example: { current: 'correct horse battery staple', next: 'an even better one' } });
