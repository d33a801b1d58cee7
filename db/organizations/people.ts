import { LockMode } from '@mikro-orm/postgresql';
import { uuidv7 } from '#core/lib/uuid.ts';
import type { Role } from '#core/organizations/permissions.ts';
import { containing, offsetOf, type Paging } from '#db/connection/lists/paging.ts';
import { Repository } from '#db/connection/repository.ts';
import { Membership, Organization, type User } from '#db/entities/accounts/people.ts';

/** A person with their password's hash; null where they have no password. */
export interface Credentials {
  id: string;
  passwordHash: string | null;
}

export class UserRepository extends Repository<User> {
  /** Makes a user, to be flushed; a bot has neither e-mail nor password. */
  add(user: {
    type: 'human' | 'bot';
    name: string;
    email?: string;
    passwordHash?: string;
    isStaff?: boolean | undefined;
    /** Default: the e-mail is not verified. */
    emailVerifiedAt?: Date | null;
  }): User {
    const { email = null, passwordHash = null, isStaff = false, emailVerifiedAt = null, ...rest } = user;
    return this.create({ id: uuidv7(), email, passwordHash, isStaff, emailVerifiedAt, ...rest });
  }

  /** Finds a person. @param email normalised. */
  findPerson(email: string): Promise<User | null> {
    return this.findOne({ email, type: 'human' });
  }

  /** Finds a person with their password's hash, by their normalised e-mail, or where something else has named them. */
  async findCredentials(by: { email: string } | { id: string }): Promise<Credentials | undefined> {
    const user = await this.findOne({ ...by, type: 'human' }, { fields: ['id', 'passwordHash'] });
    return user === null ? undefined : { id: user.id, passwordHash: user.passwordHash ?? null };
  }

  /** Checks that a person still has the password with this hash, and locks it until the end of the transaction. */
  async lockCredentials({ id, passwordHash }: Credentials): Promise<boolean> {
    const user = await this.findOne({ id, passwordHash }, { fields: ['id'], lockMode: LockMode.PESSIMISTIC_READ });
    return user !== null;
  }

  /**
   * Stores another hash of a user's password. @param before the hash that it replaces. Default: any.
   * @returns whether it did: the user exists and had the password with the hash `before`.
   */
  async setPasswordHash(id: string, passwordHash: string, before: string | null = null): Promise<boolean> {
    const where = before === null ? { id } : { id, passwordHash: before };
    return (await this.nativeUpdate(where, { passwordHash, updatedAt: new Date() })) === 1;
  }

  /** Words about a person: e-mail, name, and the names of their organizations. */
  async ownWords(id: string): Promise<string[]> {
    const user = await this.findOne({ id }, { filters: { live: false } });
    if (user === null) return [];
    const ofLive = { user: id, organization: { deletedAt: null } };
    const memberships = await this.em.find(Membership, ofLive, { populate: ['organization'], limit: 100 });
    return [user.email ?? [], user.name, ...memberships.map(({ organization }) => organization.name)].flat();
  }
}

interface Workplace {
  organizationId: string;
  isSuspended: boolean;
  /** What staff tell about the suspension. */
  suspensionReason: string | null;
}

export class MembershipRepository extends Repository<Membership> {
  /** Makes a user a member of an organization, to be flushed. */
  add(organizationId: string, userId: string, role: Role): Membership {
    return this.create({ organization: organizationId, user: userId, role });
  }

  /** Reads a person's role in an organization. @param lock locks the membership until the end of the transaction. */
  async roleOf(
    { organizationId, userId }: { organizationId: string; userId: string },
    lock?: 'share' | 'update',
  ): Promise<Role | undefined> {
    const row = await this.kysely
      .selectFrom('Membership as m')
      .innerJoin('User as u', 'u.id', 'm.user')
      .select('m.role')
      .where('m.organization', '=', organizationId)
      .where('m.user', '=', userId)
      .where('u.type', '=', 'human')
      .where('u.deletedAt', 'is', null)
      .$if(lock === 'share', (query) => query.forShare('m'))
      .$if(lock === 'update', (query) => query.forUpdate('m'))
      .executeTakeFirst();
    return row?.role;
  }

  /** A page of an organization's people, the first that joined first, with their users; and how many there are. */
  list(
    organizationId: string,
    { search = '', ...paging }: Paging & { search?: string | undefined },
  ): Promise<[Membership[], number]> {
    const named = { $ilike: containing(search) };
    return this.findAndCount(
      { user: { type: 'human', deletedAt: null, ...(search !== '' && { $or: [{ name: named }, { email: named }] }) } },
      {
        filters: { tenant: { organizationId } },
        populate: ['user'],
        orderBy: { createdAt: 'asc', user: 'asc' },
        ...offsetOf(paging),
      },
    );
  }

  /** Reads a person's membership with the user; null: no such member. */
  findMember(organizationId: string, userId: string): Promise<Membership | null> {
    const member = { organization: organizationId, user: { id: userId, type: 'human', deletedAt: null } } as const;
    return this.findOne(member, { populate: ['user'], refresh: true });
  }

  async findMemberEmails(organizationId: string, emails: readonly string[]): Promise<Set<string>> {
    const user = { type: 'human', deletedAt: null, email: { $in: [...emails] } } as const;
    const members = await this.find({ organization: organizationId, user }, { populate: ['user'] });
    return new Set(members.flatMap(({ user: { email } }) => email ?? []));
  }

  async findBot(organizationId: string): Promise<string | undefined> {
    const bot = await this.findOne({ organization: organizationId, user: { type: 'bot', deletedAt: null } });
    return bot?.user.id;
  }

  countOwners(organizationId: string): Promise<number> {
    return this.count({ organization: organizationId, role: 'owner' });
  }

  /** Finds the organization that a person signs in to: the first that they joined, suspended ones last. */
  async findFirstWorkplace(userId: string, { except }: { except?: string } = {}): Promise<Workplace | undefined> {
    const row = await this.kysely
      .selectFrom('Membership as m')
      .innerJoin('Organization as o', 'o.id', 'm.organization')
      .select(['o.id as organizationId', 'o.suspendedAt', 'o.suspensionReason'])
      .where('m.user', '=', userId)
      .where('o.deletedAt', 'is', null)
      .$if(except !== undefined, (query) => query.where('o.id', '<>', except!))
      .orderBy((by) => by('o.suspendedAt', 'is not', null))
      .orderBy('m.createdAt')
      .orderBy('o.id')
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { suspendedAt, ...workplace } = row;
    return { ...workplace, isSuspended: suspendedAt !== null };
  }

  /** Finds a live organization, and whether a person is its member. */
  async findWorkplace(
    organizationId: string,
    userId: string,
  ): Promise<(Workplace & { isMember: boolean }) | undefined> {
    // Read again: the caller may have loaded it before it took the organization's lock, and the organization may be deleted since.
    const organization = await this.em.findOne(Organization, { id: organizationId }, { refresh: true });
    if (organization === null) return undefined;
    const isMember = (await this.count({ organization: organizationId, user: userId })) > 0;
    const { suspendedAt, suspensionReason = null } = organization;
    return { organizationId, isSuspended: suspendedAt !== null, suspensionReason, isMember };
  }
}
