import { AppError, invalid, tooMany } from '#core/errors/errors.ts';
import type { Mailer } from '#core/lib/mail.ts';
import type { Actor } from '#core/audit/actor.ts';
import { OrganizationSuspended } from '#core/organizations/suspension.ts';
import { requireOwn } from '#core/organizations/ownership.ts';
import type { Role } from '#core/organizations/permissions.ts';
import {
  invitationTokenPurpose,
  mailedInvitationTokenPurpose,
  readSignedId,
  writeSignedId,
} from '#core/secrets/signed-id.ts';
import type { Sealing } from '#core/secrets/sealing.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { lockOrganization } from '#db/connection/locks.ts';
import { Invitation, Membership, User } from '#db/entities/accounts/people.ts';
import { uuidv7 } from '#core/lib/uuid.ts';
import { invitationLivesMs } from '#db/organizations/invitations.ts';
import { enqueue } from '#db/outbox.ts';
import { flushRefusing } from '#commands/flush.ts';
import { recordChange } from './audit.ts';
import { isStillGiven, requireInviter } from './inviters.ts';
import { normalizeEmail } from '#commands/accounts/people.ts';
import { verifyEmail } from '#commands/accounts/verification.ts';

// Choices: a company invites its people in a day or two, and no mailbox of others is flooded.
const mostOpen = 100;
const mostMailsPerDay = 50;

interface InvitationLinks {
  sealing: Pick<Sealing, 'deriveKeys'>;
  /** Public address of the API, which serves the console. */
  baseUrl: string;
}

/**
 * Invites a person by e-mail; a workflow sends the mail and ends the invitation after a week.
 * @throws AppError ACTION_NOT_ALLOWED where an admin or a key of one invites an owner, or a key grants more than it holds, ALREADY_EXIST for a member and for an
 * e-mail that is invited already, RATE_LIMIT_EXCEEDED.
 */
export async function invite(
  em: EntityManager,
  actor: Actor,
  { email: given, role }: { email: string; role: Role },
  now: Date,
): Promise<Invitation> {
  const { organizationId, userId, keyId } = actor;
  const email = normalizeEmail(given);
  await lockOrganization(em, organizationId);
  await requireInviter(em, actor, role);
  const person = await em.getRepository(User).findPerson(email);
  const members = em.getRepository(Membership);
  if (person !== null && (await members.findMember(organizationId, person.id)) !== null) {
    throw new AppError('ALREADY_EXIST', `${email} is a member already.`, { reason: 'email' });
  }
  const invitations = em.getRepository(Invitation);
  await invitations.endExpired(organizationId, email, now);
  await requireRoom(em, organizationId, now);
  const id = uuidv7();
  const inviter = { invitedBy: userId, keyId: keyId ?? null };
  const times = { createdAt: now, mailWantedAt: now, expiresAt: new Date(now.getTime() + invitationLivesMs) };
  em.create(Invitation, { id, organization: organizationId, email, role, ...inviter, ...times });
  const invitedMessage = `${email} is invited already: send the invitation again, or take it back.`;
  await flushRefusing(em, {
    invitations_pending_key: () => new AppError('ALREADY_EXIST', invitedMessage, { reason: 'email' }),
  });
  const details = { email, role };
  await recordChange(em, actor, { action: 'invitation.created', subjectId: id, details }, now);
  await enqueue(em, 'invitation', [id]);
  return (await invitations.read(id))!;
}

/**
 * Sends the mail of an open invitation again; it works for another week. Where the person or key that invited may not invite any more,
 * the invitation becomes the caller's. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT.
 */
export async function resendInvitation(
  em: EntityManager,
  actor: Actor,
  id: string,
  { now, livesMs }: { now: Date; livesMs: number },
): Promise<Invitation> {
  const { organizationId } = actor;
  await lockOrganization(em, organizationId);
  const invitation = await findOwn(em, actor, id);
  await requireInviter(em, actor, invitation.role);
  if (invitation.endedAt !== null)
    throw new AppError('CONFLICT', 'This invitation has ended: invite the person again.');
  await requireRoom(em, organizationId, now, { isNew: false });
  const invitations = em.getRepository(Invitation);
  if (!(await isStillGiven(em, invitation)))
    await invitations.nativeUpdate({ id }, { invitedBy: actor.userId, keyId: actor.keyId ?? null });
  await invitations.askForMail(id, { now, expiresAt: new Date(now.getTime() + livesMs) });
  await recordChange(
    em,
    actor,
    { action: 'invitation.resent', subjectId: id, details: { email: invitation.email } },
    now,
  );
  await enqueue(em, 'invitation', [id]);
  return (await invitations.read(id))!;
}

/** Takes an open invitation back: its link stops working at once. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT. */
export async function revokeInvitation(em: EntityManager, actor: Actor, id: string, now: Date): Promise<void> {
  const { email } = await findOwn(em, actor, id);
  if (!(await em.getRepository(Invitation).end(id, 'revoked', now))) {
    throw new AppError('CONFLICT', 'This invitation has ended already.');
  }
  await recordChange(em, actor, { action: 'invitation.revoked', subjectId: id, details: { email } }, now);
  await enqueue(em, 'invitation', [id]);
}

/**
 * The link of an invitation. In the fragment, which browsers send to no server: no log of a request has the token.
 * @param isMailed whether the invited person alone gets it, by mail: then it also shows that the e-mail is theirs.
 */
export function invitationLink(id: string, { sealing, baseUrl }: InvitationLinks, isMailed: boolean): string {
  const purpose = isMailed ? mailedInvitationTokenPurpose : invitationTokenPurpose;
  const token = writeSignedId(id, sealing.deriveKeys(purpose)[0]!);
  return `${baseUrl.replace(/\/$/, '')}/console/join#token=${token}`;
}

/**
 * Finds the open invitation of a token. @returns it, and whether the token was mailed to the invited person.
 * @throws AppError VALIDATION_ERROR at `token`, the same for whatever ended it.
 */
export async function findInvitation(
  em: EntityManager,
  token: string,
  { sealing, now }: { sealing: Pick<Sealing, 'deriveKeys'>; now: Date },
): Promise<{ invitation: Invitation; isMailed: boolean }> {
  const mailed = readSignedId(token, sealing.deriveKeys(mailedInvitationTokenPurpose));
  const id = mailed ?? readSignedId(token, sealing.deriveKeys(invitationTokenPurpose));
  const invitation = id === undefined ? null : await em.getRepository(Invitation).findOpen(id, now);
  if (invitation === null) throw endedInvitation();
  return { invitation, isMailed: mailed !== undefined };
}

/**
 * Makes a person a member by their invitation, which ends. @param person an account with the e-mail, or a new one.
 * @param options `isMailed`: whether the link was mailed, so that the e-mail of the account is verified.
 * @returns the person's id.
 * @throws AppError VALIDATION_ERROR at `token` where another call has accepted it or it was taken back meanwhile, FORBIDDEN where the
 * organization is suspended, CONFLICT where an account with the e-mail has just been made.
 */
export async function acceptInvitation(
  em: EntityManager,
  invitation: Invitation,
  person: { userId: string } | { name: string; passwordHash: string },
  { now, isMailed }: { now: Date; isMailed: boolean },
): Promise<string> {
  const { id, email, role, organization } = invitation;
  const organizationId = organization.id;
  await lockOrganization(em, organizationId);
  // The person or key that invites may have lost the right since.
  if (!(await isStillGiven(em, invitation))) throw endedInvitation();
  if (!(await em.getRepository(Invitation).end(id, 'accepted', now))) throw endedInvitation();
  const userId = 'userId' in person ? person.userId : await createPerson(em, { email, ...person });
  if (isMailed) await verifyEmail(em, userId, now);
  const members = em.getRepository(Membership);
  const workplace = await members.findWorkplace(organizationId, userId);
  if (workplace === undefined) throw endedInvitation();
  if (workplace.isSuspended) throw new OrganizationSuspended(workplace.suspensionReason);
  if (!workplace.isMember) members.add(organizationId, userId, role);
  await em.flush();
  const { plan } = organization;
  const actor: Actor = { organizationId, plan, userId, permissions: {} };
  await recordChange(em, actor, { action: 'invitation.accepted', subjectId: id, details: { role } }, now);
  await enqueue(em, 'invitation', [id]);
  return userId;
}

/** How an invitation stands for its workflow: until when it is open; undefined: it has ended. */
export interface InvitationLook {
  /** Milliseconds until it expires. */
  openForMs?: number;
  isMailed: boolean;
}

/**
 * Mails an invitation that waits for it, and ends one whose time is over. A crash between the mail and its note sends the mail again,
 * with the same link and Message-ID.
 * @throws Error where the mail server refuses the mail.
 */
export async function lookAtInvitation(
  em: EntityManager,
  mailer: Mailer,
  id: string,
  links: InvitationLinks,
): Promise<InvitationLook> {
  const now = new Date();
  const invitations = em.getRepository(Invitation);
  const invitation = await invitations.findOpen(id, now);
  if (invitation === null) {
    await invitations.end(id, 'expired', now);
    return { isMailed: false };
  }
  const { mailWantedAt, mailedAt, expiresAt, email, organization, invitedBy } = invitation;
  if (mailedAt === null) {
    await mailer.send({
      to: email,
      subject: `Join ${organization.name} on Waymark`,
      text: textOf(invitationLink(id, links, true), {
        organization: organization.name,
        by: invitedBy?.name,
        expiresAt,
      }),
      messageId: `invitation-${id}-${mailWantedAt.getTime()}@waymark`,
    });
    // Where it was asked for again meanwhile, that mail is still to come.
    await em.nativeUpdate(Invitation, { id, mailWantedAt }, { mailedAt: new Date() });
  }
  return { openForMs: Math.max(0, expiresAt.getTime() - Date.now()), isMailed: true };
}

// Short lines, but for the link: mail programs show plain text as it is.
function textOf(
  link: string,
  { organization, by, expiresAt }: { organization: string; by?: string | undefined; expiresAt: Date },
) {
  return [
    `${by ?? 'An admin'} invites you to work on the short links of`,
    `${organization} in Waymark.`,
    '',
    'Join here:',
    link,
    '',
    `The link works once, until ${expiresAt.toISOString()}.`,
    '',
    'If you expect no invitation, ignore this mail: nothing',
    'happens without the link.',
    '',
  ].join('\n');
}

async function findOwn(em: EntityManager, actor: Actor, id: string): Promise<Invitation> {
  return requireOwn(await em.getRepository(Invitation).read(id), actor, 'invitation');
}

async function requireRoom(em: EntityManager, organizationId: string, now: Date, { isNew = true } = {}): Promise<void> {
  const { open, mails } = await em.getRepository(Invitation).countRecent(organizationId, now);
  if (isNew && open >= mostOpen) {
    throw tooMany(`An organization has at most ${mostOpen} open invitations: take some back.`, 3_600);
  }
  if (mails >= mostMailsPerDay) {
    throw tooMany(`At most ${mostMailsPerDay} invitations are mailed in a day.`, 3_600);
  }
}

async function createPerson(
  em: EntityManager,
  person: { email: string; name: string; passwordHash: string },
): Promise<string> {
  const user = em.getRepository(User).add({ type: 'human', ...person });
  const message = 'An account with this e-mail has just been made: accept with its password.';
  await flushRefusing(em, { users_email_key: () => new AppError('CONFLICT', message) });
  return user.id;
}

function endedInvitation(): AppError {
  return invalid('token', 'is of an invitation that does not work any more: ask for a new one');
}
