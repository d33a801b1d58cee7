import type { ThreatType } from '#core/threats/types.ts';
import type { ThreatPolicy } from '#core/threats/policy.ts';
import { sql } from 'kysely';
import type { Transaction } from '#db/connection/database.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ThreatNotice } from '#db/entities/threats.ts';
import { onEnqueuedAgain, wakeRelays } from '#db/outbox.ts';
import { leadingTo } from './verdicts.ts';

/**
 * Requests mails about new threats at some URLs (hexadecimal hashes) to the owners of organizations that lead there.
 * @param organizationIds only these; absent: all.
 */
// By hand: `leadingTo` finds what leads to each address by its index, for thousands of links; no benchmark runs it.
export async function requestThreatMail(
  tx: Transaction,
  urlHashes: readonly string[],
  organizationIds?: readonly string[],
): Promise<void> {
  wakeRelays(tx);
  await tx.query({
    name: 'threats_note',
    text: `
      with noted as (
        insert into threat_notices (organization_id, url_hash)
        select distinct led.organization_id, decode(found.hash, 'hex')
        from unnest($1::text[]) as found (hash)
        cross join lateral (${leadingTo("decode(found.hash, 'hex')")}) led
        where $2::uuid[] is null or led.organization_id = any($2::uuid[]) order by 1, 2
        on conflict do nothing returning organization_id
      )
      insert into outbox (kind, subject_id)
      select distinct 'threat-mail', organization_id from noted order by 2
      ${onEnqueuedAgain}`,
    values: [urlHashes, organizationIds ?? null],
  });
}

/** Finds which of some organizations have threats to report. */
export async function listThreatMailTargets(
  em: EntityManager,
  ids: readonly string[],
): Promise<{ id: string; name: string }[]> {
  if (ids.length === 0) return [];
  return em.kysely
    .selectFrom('Organization as o')
    .select(['o.id', 'o.name'])
    .where('o.id', 'in', ids)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('ThreatNotice as n').select('n.organization').whereRef('n.organization', '=', 'o.id')),
    )
    .execute();
}

/** Enqueues organizations again whose mail is overdue. @returns how many. */
export async function requeueOverdueThreatMail(em: EntityManager): Promise<number> {
  const overdue = em.kysely
    .selectFrom('ThreatNotice')
    .distinct()
    .select([sql.lit('threat-mail').as('kind'), 'organization'])
    .where('foundAt', '<', sql<Date>`now() - interval '1 minute'`)
    .orderBy('organization');
  const { numInsertedOrUpdatedRows: requeued = 0n } = await em.kysely
    .insertInto('OutboxRow')
    .columns(['kind', 'subjectId'])
    .expression(overdue)
    .onConflict((conflict) => conflict.columns(['kind', 'subjectId']).doNothing())
    .executeTakeFirstOrThrow();
  return Number(requeued);
}

/** A threat in a mail: its URL, and some of the links and domains that lead there. */
export interface MailedThreat {
  url: string;
  threatTypes: ThreatType[];
  links: number;
  /** The first few of those links. */
  shown: { domain: string; slug: string }[];
  /** Domains whose fallback it is. */
  domains: string[];
}

/** The next mail to an organization's owner; `email` null: it has none. */
interface ThreatMail {
  mailId: string;
  organization: string;
  threatPolicy: ThreatPolicy;
  email: string | null;
  threats: MailedThreat[];
}

/**
 * Takes the threats for the next mail to an organization's owner, at most `limit`: the same ones, with the same id, again until
 * `endThreatMail`.
 * @returns null: there is no threat to report.
 */
export async function takeThreatMail(
  em: EntityManager,
  organizationId: string,
  { mailId, limit }: { mailId: string; limit: number },
): Promise<ThreatMail | null> {
  const notices = em.kysely.selectFrom('ThreatNotice').select('urlHash').where('organization', '=', organizationId);
  await em.kysely
    .updateTable('ThreatNotice')
    .set({ mailId })
    .where('organization', '=', organizationId)
    .where('urlHash', 'in', notices.orderBy('foundAt').orderBy('urlHash').limit(limit))
    .where(({ exists, not }) => not(exists(notices.where('mailId', 'is not', null))))
    .execute();
  return readThreatMail(em, organizationId);
}

// By hand: `leadingTo` finds what leads to each address by its index; no benchmark runs it.
async function readThreatMail(em: EntityManager, organizationId: string): Promise<ThreatMail | null> {
  const { rows } = await em.query<
    Omit<ThreatMail, 'threats'> & { threats: (MailedThreat & { threatTypes: ThreatType[] | null })[] }
  >(
    `select n.mail_id as "mailId", o.name as organization, o.threat_policy as "threatPolicy",
       (select u.email from memberships m join users u on u.id = m.user_id
         where m.organization_id = o.id and m.role = 'owner' order by m.created_at limit 1) as email,
       json_agg(json_build_object('url', v.url, 'threatTypes', v.threat_types, 'links', led.links, 'shown', led.shown,
         'domains', led.domains) order by n.url_hash) as threats
     from threat_notices n
     join organizations o on o.id = n.organization_id
     join threat_verdicts v on v.url_hash = n.url_hash
     cross join lateral (
       select count(distinct link_id) as links,
         (select coalesce(json_agg(json_build_object('domain', d.domain, 'slug', l.slug) order by l.id), '[]') from (
           select distinct link_id from (${leadingTo('n.url_hash')}) one
           where one.organization_id = n.organization_id and link_id is not null order by link_id limit 5) few
           join short_links l on l.id = few.link_id join domains d on d.id = l.domain_id) as shown,
         (select coalesce(json_agg(d.domain order by d.domain), '[]') from (${leadingTo('n.url_hash')}) one
           join domains d on d.id = one.subject_id
           where one.link_id is null and one.organization_id = n.organization_id) as domains
       from (${leadingTo('n.url_hash')}) every_one where every_one.organization_id = n.organization_id
     ) led
     where n.organization_id = $1 and n.mail_id is not null
     group by n.mail_id, o.id`,
    [organizationId],
  );
  const found = rows[0];
  if (found === undefined) return null;
  // URLs that have become clean meanwhile, or that nothing leads to any more, are not reported.
  const threats = found.threats.filter(
    ({ threatTypes, links, domains }) => (threatTypes ?? []).length > 0 && links + domains.length > 0,
  );
  return { ...found, threats };
}

/** Removes the threats of a mail that was sent. @returns whether there are more to report. */
export async function endThreatMail(em: EntityManager, organizationId: string): Promise<boolean> {
  await em.nativeDelete(ThreatNotice, { organization: organizationId, mailId: { $ne: null } });
  return (await em.count(ThreatNotice, { organization: organizationId })) > 0;
}
