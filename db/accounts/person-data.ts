import { sql } from 'kysely';
import { readRows, type RowsQuery } from '#db/connection/lists/cursor.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { IdempotencyKey } from '#db/entities/calls.ts';
import { ApiKey, Invitation, OidcIdentity, User } from '#db/entities/accounts/people.ts';
import { removeFactorsOf } from './second-factors.ts';

/** Reads a person's account by their normalised e-mail, without the password. */
export function readPerson(em: EntityManager, email: string) {
  return em.kysely
    .selectFrom('User')
    .select(({ eb, ref }) => [
      'id',
      ref('email').$notNull().as('email'),
      'name',
      'isStaff',
      eb('passwordHash', 'is not', null).$castTo<boolean>().as('hasPassword'),
      'emailVerifiedAt',
      'createdAt',
      'updatedAt',
    ])
    .where('email', '=', email)
    .where('type', '=', 'human')
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
}

const countOfRows = sql<number>`count(*)`;

type Person = { id: string; email: string };

/**
 * The data about a person besides the account, by section. A key that was revoked is among them; a link that was deleted is not.
 */
const sections = {
  organizations: (em, { id }) =>
    em.kysely
      .selectFrom('Membership as m')
      .innerJoin('Organization as o', 'o.id', 'm.organization')
      .select(['o.id', 'o.name', 'm.role', 'm.createdAt as joinedAt'])
      .where('m.user', '=', id)
      .orderBy('m.createdAt')
      .orderBy('o.id'),
  sessions: (em, { id }) =>
    em.kysely
      .selectFrom('Session')
      .select(['id', 'organization', 'createdAt', 'lastSeenAt', 'browser', 'os', 'expiresAt'])
      .where('user', '=', id)
      .orderBy('createdAt'),
  identities: (em, { id }) =>
    em.kysely
      .selectFrom('OidcIdentity')
      .select(['issuer', 'subject', 'createdAt', 'lastUsedAt'])
      .where('user', '=', id)
      .orderBy('createdAt'),
  devices: (em, { id }) =>
    em.kysely.selectFrom('KnownDevice').select(['createdAt', 'lastSeenAt']).where('user', '=', id).orderBy('createdAt'),
  notices: (em, { id }) =>
    em.kysely
      .selectFrom('AccountNotice')
      .select(['kind', 'details', 'createdAt', 'mailedAt'])
      .where('user', '=', id)
      .orderBy('createdAt'),
  secondFactors: (em, { id }) => [
    em.kysely
      .selectFrom('TotpFactor')
      .select([sql.lit('totp').as('type'), 'createdAt', 'confirmedAt', 'lastUsedAt'])
      .where('user', '=', id),
    em.kysely
      .selectFrom('Passkey')
      .select([sql.lit('passkey').as('type'), 'id', 'name', 'createdAt', 'lastUsedAt'])
      .where('user', '=', id)
      .orderBy('createdAt'),
    em.kysely
      .selectFrom('RecoveryCode')
      .select(({ fn }) => [
        sql.lit('recoveryCodes').as('type'),
        countOfRows.as('left'),
        fn.min('createdAt').as('createdAt'),
      ])
      .where('user', '=', id)
      .having(countOfRows, '>', 0),
  ],
  apiKeys: (em, { id }) =>
    em.kysely
      .selectFrom('ApiKey')
      .select(['id', 'organization', 'name', 'permissions', 'last4', 'createdAt', 'lastUsedAt', 'lastUsedFrom'])
      .select(['expiresAt', 'allowedAddresses', 'folderIds', 'domainIds', 'deletedAt as revokedAt'])
      .where('user', '=', id)
      .orderBy('createdAt'),
  calls: (em, { id }) =>
    em.kysely
      .selectFrom('IdempotencyKey')
      .select(['organizationId', 'route', 'key as idempotencyKey', 'createdAt'])
      .where(({ eb, or, selectFrom }) =>
        or([
          eb('caller', '=', `user:${id}`),
          eb(
            'caller',
            'in',
            selectFrom('ApiKey as k')
              .select(sql<string>`'key:' || k.id`.as('caller'))
              .where('k.user', '=', id),
          ),
        ]),
      ),
  imports: (em, { id }) =>
    em.kysely
      .selectFrom('Import')
      .select(['id', 'organization', 'format', 'state', 'total as rows', 'createdAt'])
      .where('createdBy', '=', id)
      .orderBy('createdAt'),
  auditLog: (em, { id, email }) =>
    em.kysely
      .selectFrom('AuditEntry')
      .select(({ fn }) => ['at', fn.coalesce('lastAt', 'at').as('lastAt'), 'count', 'action'])
      .select(['organizationId', 'subjectId', 'details'])
      .where(({ eb, or, ref }) =>
        or([
          eb('userId', '=', id),
          eb('subjectId', '=', id),
          sql<boolean>`${ref('details')}::text ~* ${emailPattern(email)}`,
        ]),
      )
      .orderBy('id'),
  links: (em, { id }) =>
    em.kysely
      .selectFrom('ShortLink as l')
      .innerJoin('Domain as d', 'd.id', 'l.domain')
      .select(['l.id', 'l.organization', 'd.domain as domain', 'l.slug', 'l.createdAt'])
      .where('l.createdBy', '=', id)
      .where('l.deletedAt', 'is', null),
  linkChanges: (em, { id }) =>
    em.kysely
      .selectFrom('LinkChange as c')
      .innerJoin('ShortLink as l', 'l.id', 'c.linkId')
      .select(['c.id', 'l.organization', 'c.linkId', 'c.at'])
      .where('c.userId', '=', id)
      .where('l.deletedAt', 'is', null)
      .orderBy('c.at'),
  activity: (em, { id }) =>
    em.kysely
      .selectFrom('Activity')
      .select(['at', 'organizationId', 'action', 'subjectId', 'count'])
      .where('userId', '=', id)
      .orderBy('at'),
  requestLog: (em, { id }) =>
    em.kysely
      .selectFrom('LoggedCall')
      .select(['at', 'organizationId', 'method', 'path', 'query', 'status'])
      .where('userId', '=', id)
      .orderBy('at'),
} satisfies Record<string, (em: EntityManager, person: Person) => RowsQuery | RowsQuery[]>;

type PersonSection = keyof typeof sections;

/** Names of the sections, in the order of the export. */
export const personSections = Object.keys(sections) as PersonSection[];

/** Reads a section of the data about a person. @param em of a transaction. */
export async function* readSection(
  em: EntityManager,
  section: PersonSection,
  person: Person,
): AsyncGenerator<Record<string, unknown>> {
  for (const query of [sections[section](em, person)].flat()) yield* readRows(em, query);
}

/** A regular expression of PostgreSQL that finds an e-mail address as a whole word. */
function emailPattern(email: string): string {
  const literal = email.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&');
  return `(?<![a-z0-9._%+'-])${literal}(?![a-z0-9-]|\\.[a-z0-9])`;
}

/** Removes everything from an account that identifies its person; the row stays, since links refer to it. */
export async function anonymizeUser(em: EntityManager, id: string, now: Date): Promise<void> {
  const nothing = { email: null, name: 'Erased person', passwordHash: null, isStaff: false, emailVerifiedAt: null };
  await em.nativeUpdate(User, { id }, { ...nothing, updatedAt: now, deletedAt: now });
  await em.nativeDelete(OidcIdentity, { user: id });
  await removeFactorsOf(em, id);
  await em.nativeUpdate(Invitation, { invitedBy: id }, { invitedBy: null });
  const ofPerson = { user: id };
  const keys = await em.find(ApiKey, ofPerson, { fields: ['id'], filters: { live: false } });
  await em.nativeDelete(IdempotencyKey, { caller: { $in: [`user:${id}`, ...keys.map((key) => `key:${key.id}`)] } });
  // They are revoked: without its addresses no key may be used from more places.
  const erased = { name: 'Erased', lastUsedFrom: null, allowedAddresses: null };
  await em.nativeUpdate(ApiKey, ofPerson, erased, { filters: { live: false } });
}

/**
 * Replaces a person's e-mail in all lines of the audit log, and their name in recorded search terms.
 * @returns how many lines changed.
 */
export async function eraseFromAudit(em: EntityManager, email: string, name: string | undefined): Promise<number> {
  const pattern = emailPattern(email);
  const lines = em.kysely.updateTable('AuditEntry');
  const { numUpdatedRows: withEmail } = await lines
    .set(({ ref }) => ({
      details: sql`regexp_replace(${ref('details')}::text, ${pattern}, 'erased', 'gi')::jsonb`,
      // Of a sealed line the details cannot be checked any more; the hash of what they were stays.
      salt: null,
    }))
    .where(({ ref }) => sql<boolean>`${ref('details')}::text ~* ${pattern}`)
    .executeTakeFirstOrThrow();
  if (name === undefined) return Number(withEmail);
  const { numUpdatedRows: withName } = await lines
    .set(({ ref }) => ({ details: sql`${ref('details')} || '{"search":"erased"}'`, salt: null }))
    .where(({ ref }) => sql<boolean>`position(lower(${name}) in lower(${ref('details')} ->> 'search')) > 0`)
    .executeTakeFirstOrThrow();
  return Number(withEmail + withName);
}

/** Removes from the request log the calls of a person, and those whose bodies or answers hold their e-mail. Reads all of it. */
export async function eraseLoggedCalls(em: EntityManager, email: string, userId: string | undefined): Promise<void> {
  const pattern = `${emailPattern(email)}|${emailPattern(encodeURIComponent(email))}`;
  await em.kysely
    .deleteFrom('LoggedCall')
    .where(({ eb, or, ref }) =>
      or([
        ...(userId === undefined ? [] : [eb('userId', '=', userId)]),
        ...(['path', 'query', 'requestBody', 'answerBody'] as const).map(
          (column) => sql<boolean>`${ref(column)} ~* ${pattern}`,
        ),
      ]),
    )
    .execute();
}

/** Finds organizations whose only owner is a person, and locks their memberships against changes. */
export async function lockSoleOwnerships(em: EntityManager, userId: string): Promise<{ id: string; name: string }[]> {
  await em.kysely
    .selectFrom('Organization as o')
    .select('o.id')
    .where('o.id', 'in', (eb) => eb.selectFrom('Membership as m').select('m.organization').where('m.user', '=', userId))
    .orderBy('o.id')
    .forNoKeyUpdate()
    .execute();
  return em.kysely
    .selectFrom('Membership as m')
    .innerJoin('Organization as o', 'o.id', 'm.organization')
    .select(['o.id', 'o.name'])
    .where('m.user', '=', userId)
    .where('m.role', '=', 'owner')
    .where('o.deletedAt', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('Membership as x')
            .innerJoin('User as u', 'u.id', 'x.user')
            .select('u.id')
            .whereRef('x.organization', '=', 'o.id')
            .where('x.role', '=', 'owner')
            .where('x.user', '<>', userId)
            .where('u.deletedAt', 'is', null),
        ),
      ),
    )
    .orderBy('o.id')
    .execute();
}
