import { sql } from 'kysely';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { IdempotencyKey } from '#db/entities/calls.ts';
import { ApiKey, Invitation, Membership, OidcIdentity, User } from '#db/entities/people.ts';
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
      'createdAt',
      'updatedAt',
    ])
    .where('email', '=', email)
    .where('type', '=', 'human')
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
}

/** SQL: the data about a person (`$1`) besides the account, by section; one JSON value a row, read by a cursor. */
const sections = {
  organizations: `
    select jsonb_build_object('id', o.id, 'name', o.name, 'role', m.role, 'joinedAt', m.created_at) as data
    from memberships m join organizations o on o.id = m.organization_id where m.user_id = $1 order by m.created_at, o.id`,
  sessions: `
    select jsonb_build_object('id', id, 'organizationId', organization_id, 'createdAt', created_at, 'lastSeenAt', last_seen_at, 'browser', browser, 'os', os,
      'expiresAt', expires_at) as data
    from sessions where user_id = $1 order by created_at`,
  identities: `
    select jsonb_build_object('issuer', issuer, 'subject', subject, 'createdAt', created_at, 'lastUsedAt', last_used_at) as data
    from oidc_identities where user_id = $1 order by created_at`,
  devices: `
    select jsonb_build_object('createdAt', created_at, 'lastSeenAt', last_seen_at) as data
    from known_devices where user_id = $1 order by created_at`,
  notices: `
    select jsonb_build_object('kind', kind, 'details', details, 'createdAt', created_at, 'mailedAt', mailed_at) as data
    from account_notices where user_id = $1 order by created_at`,
  secondFactors: `
    select jsonb_build_object('type', 'totp', 'createdAt', created_at, 'confirmedAt', confirmed_at, 'lastUsedAt', last_used_at) as data
    from totp_factors where user_id = $1
    union all
    select * from (
      select jsonb_build_object('type', 'passkey', 'id', id, 'name', name, 'createdAt', created_at, 'lastUsedAt', last_used_at) as data
      from passkeys where user_id = $1 order by created_at) p
    union all
    select jsonb_build_object('type', 'recoveryCodes', 'left', count(*), 'createdAt', min(created_at)) as data
    from recovery_codes where user_id = $1 having count(*) > 0`,
  apiKeys: `
    select jsonb_build_object('id', id, 'organizationId', organization_id, 'name', name, 'permissions', permissions, 'last4', last4,
      'createdAt', created_at, 'lastUsedAt', last_used_at, 'lastUsedFrom', last_used_from, 'expiresAt', expires_at,
      'allowedAddresses', allowed_addresses, 'folderIds', folder_ids, 'domainIds', domain_ids, 'revokedAt', deleted_at) as data
    from api_keys where user_id = $1 order by created_at`,
  calls: `
    select jsonb_build_object('organizationId', organization_id, 'route', route, 'idempotencyKey', key, 'createdAt', created_at) as data
    from idempotency_keys
    where caller = any(array['user:' || $1::uuid] || array(select 'key:' || k.id from api_keys k where k.user_id = $1))`,
  imports: `
    select jsonb_build_object('id', id, 'organizationId', organization_id, 'format', format, 'state', state, 'rows', total,
      'createdAt', created_at) as data
    from imports where created_by = $1 order by created_at`,
  auditLog: `
    select jsonb_build_object('at', at, 'lastAt', coalesce(last_at, at), 'count', count, 'action', action,
      'organizationId', organization_id, 'subjectId', subject_id, 'details', details) as data
    from audit_log where user_id = $1 or subject_id = $1 or details::text ~* $2 order by id`,
  links: `
    select jsonb_build_object('id', l.id, 'organizationId', l.organization_id, 'domain', d.domain, 'slug', l.slug,
      'createdAt', l.created_at) as data
    from short_links l join domains d on d.id = l.domain_id where l.created_by = $1 and l.deleted_at is null`,
  linkChanges: `
    select jsonb_build_object('id', c.id, 'organizationId', l.organization_id, 'linkId', l.id, 'at', c.at) as data
    from link_changes c join short_links l on l.id = c.link_id where c.user_id = $1 and l.deleted_at is null order by c.at`,
  activity: `
    select jsonb_build_object('at', at, 'organizationId', organization_id, 'action', action, 'subjectId', subject_id, 'count', count) as data
    from activities where user_id = $1 order by at`,
} as const;

type PersonSection = keyof typeof sections;

/** Names of the sections, in the order of the export. */
export const personSections = Object.keys(sections) as PersonSection[];

/** SQL that reads a section. @param person their id and e-mail. */
export function sectionStatement(
  section: PersonSection,
  { id, email }: { id: string; email: string },
): { text: string; values: string[] } {
  return { text: sections[section], values: section === 'auditLog' ? [id, emailPattern(email)] : [id] };
}

/** A regular expression of PostgreSQL that finds an e-mail address as a whole word. */
function emailPattern(email: string): string {
  const literal = email.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&');
  return `(?<![a-z0-9._%+'-])${literal}(?![a-z0-9-]|\\.[a-z0-9])`;
}

/** Removes everything from an account that identifies its person; the row stays, since links refer to it. */
export async function anonymizeUser(em: EntityManager, id: string, now: Date): Promise<void> {
  const nothing = { email: null, name: 'Erased person', passwordHash: null, isStaff: false };
  await em.nativeUpdate(User, { id }, { ...nothing, updatedAt: now, deletedAt: now });
  await em.nativeDelete(Membership, { user: id });
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
