import type { ThreatType } from '#core/threats/types.ts';
import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { anyHash, anyId } from '#db/any-of.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ThreatNotice } from '#db/entities/threats.ts';
import { ownerEmail } from '#db/organizations/owner-email.ts';
import { enqueue } from '#db/outbox.ts';
import { requeueFound } from '#db/outbox-rows.ts';
import { leadingTo } from './leading-to.ts';

/**
 * Requests mails about new threats at some URLs (hexadecimal hashes) to the owners of organizations that lead there.
 * @param organizationIds only these; absent: all.
 */
export async function requestThreatMail(
  em: EntityManager,
  urlHashes: readonly string[],
  organizationIds?: readonly string[],
): Promise<void> {
  const { kysely } = em;
  const noted = await kysely
    .insertInto('ThreatNotice')
    .columns(['organization', 'urlHash'])
    .expression(
      kysely
        .selectFrom('ThreatVerdict as v')
        .innerJoinLateral(
          ({ ref }) => leadingTo(kysely, ref('v.urlHash')).as('led'),
          (on) => on.onTrue(),
        )
        .distinct()
        .select(['led.organizationId', 'v.urlHash'])
        .where('v.urlHash', '=', anyHash(urlHashes))
        .$if(organizationIds !== undefined, (all) => all.where('led.organizationId', '=', anyId(organizationIds!)))
        .orderBy('led.organizationId')
        .orderBy('v.urlHash'),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('organization')
    .execute();
  await enqueue(
    em,
    'threat-mail',
    noted.map(({ organization }) => organization),
  );
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

/** Enqueues organizations again whose mail is overdue, `limit` at most, those first that have waited longest. @returns how many. */
export function requeueOverdueThreatMail(em: EntityManager, limit: number): Promise<number> {
  return requeueFound(em, 'threat-mail', ({ kysely }) =>
    kysely
      .selectFrom('ThreatNotice')
      .select('organization as id')
      .groupBy('organization')
      .having(({ fn }) => fn.min('foundAt'), '<', sql<Date>`now() - interval '1 minute'`)
      .orderBy(({ fn }) => fn.min('foundAt'))
      .limit(limit)
      .execute(),
  );
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

/**
 * Takes the threats for the next mail to an organization's owner, at most `limit`: the same ones, with the same id, again until
 * `endThreatMail`.
 * @returns the mail, `email` null where no owner has one; null: there is no threat to report.
 */
export async function takeThreatMail(
  em: EntityManager,
  organizationId: string,
  { mailId, limit }: { mailId: string; limit: number },
) {
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

/** `email` null: the organization has no owner with one. */
async function readThreatMail({ kysely }: EntityManager, organizationId: string) {
  const found = await kysely
    .selectFrom('ThreatNotice as n')
    .innerJoin('Organization as o', 'o.id', 'n.organization')
    .innerJoin('ThreatVerdict as v', 'v.urlHash', 'n.urlHash')
    .select(({ ref }) => [
      ref('n.mailId').$notNull().as('mailId'),
      'o.name as organizationName',
      'o.threatPolicy',
      'v.url',
      'v.threatTypes',
    ])
    .select(ownerEmail)
    .select(({ ref, selectFrom }) => {
      const led = selectFrom(leadingTo(kysely, ref('n.urlHash')).as('led')).whereRef(
        'led.organizationId',
        '=',
        'n.organization',
      );
      const first = led
        .distinct()
        .select('led.linkId')
        .where('led.linkId', 'is not', null)
        .orderBy('led.linkId')
        .limit(5);
      return [
        led
          .select(({ fn }) => fn.count<number>('led.linkId').distinct().as('count'))
          .$asScalar()
          .$notNull()
          .as('links'),
        jsonArrayFrom(
          selectFrom('ShortLink as l')
            .innerJoin('Domain as d', 'd.id', 'l.domain')
            .select(['d.domain', 'l.slug'])
            .where('l.id', 'in', first.$castTo<{ linkId: string }>())
            .orderBy('l.id'),
        ).as('shown'),
        sql<string[]>`array(${led
          .innerJoin('Domain as d', 'd.id', 'led.subjectId')
          .select('d.domain')
          .where('led.linkId', 'is', null)
          .orderBy('d.domain')})`.as('domains'),
      ];
    })
    .where('n.organization', '=', organizationId)
    .where('n.mailId', 'is not', null)
    .orderBy('n.urlHash')
    .execute();
  if (found[0] === undefined) return null;
  const { mailId, organizationName: organization, threatPolicy, email } = found[0];
  const threats = found.flatMap(({ url, threatTypes, links, shown, domains }) =>
    // URLs that have become clean meanwhile, or that nothing leads to any more, are not reported.
    threatTypes === null || threatTypes.length === 0 || links + domains.length === 0
      ? []
      : [{ url, threatTypes, links, shown, domains }],
  );
  return { mailId, organization, threatPolicy, email, threats };
}

/** Removes the threats of a mail that was sent. @returns whether there are more to report. */
export async function endThreatMail(em: EntityManager, organizationId: string): Promise<boolean> {
  await em.nativeDelete(ThreatNotice, { organization: organizationId, mailId: { $ne: null } });
  return (await em.count(ThreatNotice, { organization: organizationId })) > 0;
}
