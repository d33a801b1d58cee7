import { z } from 'zod';
import { idSchema } from '#core/links/draft.ts';
import { type Plan, plans } from '#core/organizations/plans.ts';
import { permissionsOf, permissionsSchema, readOnly, roles } from '#core/organizations/permissions.ts';
import { tooCommon } from '#commands/accounts/people.ts';
import { isCommonPassword } from '#core/accounts/common-passwords.ts';
import { name, readOnly as ignored, text } from '#core/lib/schemas.ts';
import type { Session } from '#db/entities/accounts/people.ts';
import { present } from '#api/present.ts';
import { emailInputSchema, momentSchema, supportContactSchema } from '#api/schemas.ts';
import type { SessionView } from '#db/accounts/sessions.ts';

const id = z.guid();
const longestName = 100;
const longestPassword = 128;

const organizationSchema = z
  .strictObject({
    id,
    name: z.string().meta({ example: 'Example Ltd' }),
    plan: z.enum(Object.keys(plans) as [Plan, ...Plan[]]),
    role: z.enum(roles).describe('The role of the user in the organization.'),
    isSuspended: z
      .boolean()
      .describe('Whether the operator has suspended the organization: then it answers 403 to its keys and members.'),
    suspensionReason: z.string().nullable().describe('Why, in the words of the operator; null: no reason was given.'),
  })
  .meta({ id: 'OwnOrganization', description: 'An organization of the signed-in user.' });

const installationSchema = z
  .strictObject({
    version: z.string().describe('Of Waymark.').meta({ example: '0.0.3' }),
    edgeUrl: z
      .url()
      .describe('Address of short links without a custom domain.')
      .meta({ example: 'https://go.example.com' }),
    hasGeoip: z.boolean().describe('Whether visitors are located: without it rules by country never match.'),
    hasMail: z.boolean().describe('Whether mail is sent: without it a forgotten password needs the operator.'),
    supportContact: supportContactSchema,
    temporalUiUrl: z
      .url()
      .nullable()
      .describe(
        'Address of the namespace of this installation in the Temporal UI, for staff alone; null for others, and where there is none.',
      ),
  })
  .meta({ id: 'Installation', description: 'What the installation is, and what it can do.' });

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
    isByProvider: z
      .boolean()
      .describe(
        'Whether the identity provider of the organization opened the session: it counts there alone, and a password or passkey leads elsewhere.',
      ),
    viewing: z
      .strictObject({
        reason: z.string().describe('What staff gave as the reason.').meta({ example: 'Complaint 4711' }),
        until: momentSchema.describe('When it ends, UTC.'),
      })
      .nullable()
      .describe(
        'Set: the user is staff and looks at the organization, read-only; every call that changes something is refused. Null: works in it.',
      ),
    permissions: permissionsSchema.describe('What the role of the user allows in the organization of this session.'),
    installation: installationSchema,
  })
  .meta({ id: 'CurrentSession', description: 'The signed-in user and the organization that they work in.' });

export const ownOrganizationsSchema = z
  .strictObject({
    data: z.array(organizationSchema).describe('All organizations of the user, the first joined first.'),
    organizationId: id.describe('The organization of this session.'),
    supportContact: supportContactSchema,
  })
  .meta({ id: 'OwnOrganizations', description: 'The organizations of the user that is signed in.' });

export function presentOrganizations(
  { session, memberships }: SessionView,
  { supportContact }: Pick<SessionAnswer['installation'], 'supportContact'>,
): z.output<typeof ownOrganizationsSchema> {
  return { data: memberships.map(presentMembership), organizationId: session.organization.id, supportContact };
}

const deviceSchema = z
  .strictObject({
    id,
    isCurrent: z.boolean().describe('Whether it is the session of this call.'),
    browser: z.string().nullable().describe('What the browser calls itself; null: not known.'),
    os: z.string().nullable().describe('Its system; null: not known.'),
    organization: z.string().describe('Name of the organization in which it works.'),
    createdAt: momentSchema.describe('When the user signed in, UTC.'),
    lastSeenAt: momentSchema.describe('When it was last used, to the hour, UTC.'),
    expiresAt: momentSchema.describe('When it ends unless it is used, UTC.'),
  })
  .meta({ id: 'UserSession', description: 'A browser in which the user is signed in.' });

export const sessionListSchema = z
  .strictObject({ data: z.array(deviceSchema) })
  .meta({ id: 'UserSessions', description: 'Every browser in which the user is signed in.' });

export function presentDevice(session: Session, currentId: string) {
  const { id, organization } = session;
  return present(deviceSchema, session, { isCurrent: id === currentId, organization: organization.name });
}

export const changeUserSchema = z
  .strictObject({
    name: name(longestName).describe('How the user is named to other members.'),
    ...ignored('id', 'email', 'isStaff', 'organizations'),
  })
  .meta({ id: 'UpdateUser', description: 'Changes of the user that is signed in.', example: { name: 'Ada Lovelace' } });

export const userSchema = z
  .strictObject({ id, email: z.string(), name: z.string() })
  .meta({ id: 'User', description: 'The user that is signed in.' });

type SessionAnswer = z.output<typeof sessionSchema>;

export function presentSession(
  { session, memberships, viewed }: SessionView,
  { temporalUiUrl, ...installation }: SessionAnswer['installation'],
): SessionAnswer {
  const { user } = session;
  const organizations = memberships.map(presentMembership);
  const here = viewed
    ? presentMembership({ organization: viewed.organization, role: 'owner' })
    : organizations.find(({ id }) => id === session.organization.id)!;
  const permissions = permissionsOf(here.role);
  return {
    user: { id: user.id, email: user.email!, name: user.name, isStaff: user.isStaff, organizations },
    organization: here,
    isByProvider: session.isByProvider,
    viewing: viewed && { reason: viewed.reason, until: viewed.until.toISOString() },
    permissions: (viewed ? readOnly(permissions) : permissions) as SessionAnswer['permissions'],
    installation: { ...installation, temporalUiUrl: user.isStaff ? temporalUiUrl : null },
  };
}

type Membership = Pick<SessionView['memberships'][number], 'organization' | 'role'>;

function presentMembership({ organization, role }: Membership): z.output<typeof organizationSchema> {
  const { id, name, plan, suspendedAt, suspensionReason = null } = organization;
  return { id, name, plan, role, isSuspended: suspendedAt !== null, suspensionReason };
}

const password = text({ min: 1, max: longestPassword });
// The command, which knows the person, refuses more.
const shortestPassword = 8;
const newPassword = text({ min: shortestPassword, max: longestPassword }).refine(
  (word) => word.length < shortestPassword || word.length > longestPassword || !isCommonPassword(word),
  tooCommon,
);

export const loginSchema = z.strictObject({ email: emailInputSchema, password }).meta({
  id: 'SignIn',
  description: 'E-mail address and password of a user.',
  example: { email: 'ada@example.com', password: 'correct horse battery staple' },
});

export const changeOrganizationSchema = z
  .strictObject({ id: idSchema.describe('The id of an organization of the user.') })
  .meta({
    id: 'SwitchOrganization',
    description: 'The organization to switch to.',
    example: { id: '01934f6a-7a1c-7b53-8d6e-2f1f6f3b9a10' },
  });

export const changePasswordSchema = z.strictObject({ current: password, next: newPassword }).meta({
  id: 'ChangePassword',
  description: 'The password until now and the new one.',
  example: { current: 'correct horse battery staple', next: 'an even better one' },
});

export const forgotPasswordSchema = z
  .strictObject({ email: emailInputSchema })
  .meta({ id: 'ForgotPassword', description: 'Whose password was forgotten.', example: { email: 'ada@example.com' } });

/** The answer of POST /auth/password/forgot, the same whether or not an account has the e-mail. */
export const forgottenPasswordSchema = z
  .strictObject({ expiresInSeconds: z.int().describe('How long the link in the mail works.').meta({ example: 3_600 }) })
  .meta({ id: 'ForgottenPassword', description: 'The same whether or not an account has the e-mail.' });

export const mailTokenSchema = text({ min: 1, max: 128 }).describe('From the link in the mail, after `#token=`.');
export const exampleToken = 'AZuMZ1hXd2KTn0c1GvMkZ2Q3ZGMyMWZiY2Y1OWFkMTY3OTk0MmFiYzg5MGFiY2Rl';

export const resetPasswordSchema = z
  .strictObject({
    token: mailTokenSchema,
    newPassword: newPassword.describe('At least 8 characters, and not one that attackers try first.'),
  })
  .meta({
    id: 'ResetPassword',
    description: 'A new password, and the proof that the mail arrived.',
    example: { token: exampleToken, newPassword: 'an even better one' },
  });
