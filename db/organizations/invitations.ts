import { raw } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { offsetOf, type Paging } from '#db/connection/lists/paging.ts';
import { Repository } from '#db/connection/repository.ts';
import { Invitation } from '#db/entities/accounts/people.ts';
import { requeueFound } from '#db/outbox-rows.ts';

const dayMs = 86_400_000;
export const invitationLivesMs = 7 * dayMs;

export class InvitationRepository extends Repository<Invitation> {
  /** Reads an invitation with its organization and the person who invited. */
  read(id: string): Promise<Invitation | null> {
    return this.findOne({ id }, { populate: ['invitedBy', 'organization'], refresh: true });
  }

  list(organizationId: string, paging: Paging): Promise<[Invitation[], number]> {
    const options = { filters: { tenant: { organizationId } }, ...offsetOf(paging) };
    return this.findAndCount({}, { ...options, populate: ['invitedBy'], orderBy: { id: 'desc' } });
  }

  /** Finds an invitation that can be accepted, with its organization. */
  findOpen(id: string, now: Date): Promise<Invitation | null> {
    return this.findOne(
      { id, endedAt: null, expiresAt: { $gt: now }, organization: { deletedAt: null } },
      { populate: ['invitedBy', 'organization'], refresh: true },
    );
  }

  /** Open invitations that a person has made, by key too; an organization has at most a hundred. */
  listOpenBy(organizationId: string, userId: string): Promise<Invitation[]> {
    return this.find({ organization: organizationId, invitedBy: userId, endedAt: null }, { refresh: true });
  }

  /** Counts the invitations of an organization that are open, and mails that were asked for in a day. */
  async countRecent(organizationId: string, now: Date): Promise<{ open: number; mails: number }> {
    const since = new Date(now.getTime() - dayMs);
    const open = await this.count({ organization: organizationId, endedAt: null, expiresAt: { $gt: now } });
    const earlier = sql<number>`(select count(*) from unnest(earlier_mails) as mail where mail > ${since})`;
    const { mails } = await this.kysely
      .selectFrom('Invitation')
      .where('organization', '=', organizationId)
      .where('mailWantedAt', '>', since)
      .select(sql<number>`coalesce(sum(1 + ${earlier}), 0)::integer`.as('mails'))
      .executeTakeFirstOrThrow();
    return { open, mails };
  }

  /** Asks for the mail of an invitation again, which works until `expiresAt` then. */
  async askForMail(id: string, { now, expiresAt }: { now: Date; expiresAt: Date }): Promise<void> {
    const since = new Date(now.getTime() - dayMs);
    const earlierMails = raw(
      'array(select mail from unnest(array_append(earlier_mails, mail_wanted_at)) as mail where mail > ?)',
      [since],
    );
    await this.nativeUpdate({ id }, { mailWantedAt: now, mailedAt: null, expiresAt, earlierMails });
  }

  /** Ends an invitation that is open. @returns whether it was: of two calls at once one ends it. */
  async end(id: string, outcome: 'accepted' | 'revoked' | 'expired', now: Date): Promise<boolean> {
    return (await this.nativeUpdate({ id, endedAt: null }, { endedAt: now, outcome })) === 1;
  }

  /** Ends the invitation to an e-mail whose time is over, so that it can be invited again. */
  async endExpired(organizationId: string, email: string, now: Date): Promise<void> {
    const over = { organization: organizationId, email, endedAt: null, expiresAt: { $lte: now } };
    await this.nativeUpdate(over, { endedAt: now, outcome: 'expired' });
  }
}

/** Finds which of some invitations exist. */
export async function listInvitationTargets(
  em: EntityManager,
  ids: readonly string[],
): Promise<{ id: string; organizationId: string }[]> {
  const rows = await em.find(Invitation, { id: [...ids] }, { fields: ['id', 'organization'] });
  return rows.map(({ id, organization }) => ({ id, organizationId: organization.id }));
}

// Longer than a mail takes while nothing fails.
const overdueMs = 30_000;

/** Enqueues invitations again that wait for their mail or for their end, `limit` at most. @returns how many. */
export function requeueOverdueInvitations(em: EntityManager, limit: number): Promise<number> {
  const before = new Date(Date.now() - overdueMs);
  const overdue = {
    endedAt: null,
    $or: [{ mailedAt: null, mailWantedAt: { $lt: before } }, { expiresAt: { $lt: before } }],
  };
  return requeueFound(em, 'invitation', (em) =>
    em.find(Invitation, overdue, { fields: ['id'], orderBy: { createdAt: 'asc' }, limit }),
  );
}
