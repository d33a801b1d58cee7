import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { uuidv7 } from '#core/lib/uuid.ts';
import { actionPrefixesOf, type AuditCaller, type AuditCategory } from '#core/audit/audit.ts';
import { containing, type Position } from '#db/connection/lists/paging.ts';
import { Repository } from '#db/connection/repository.ts';
import type { AuditDraft, AuditEntry } from '#db/entities/audit.ts';
import type { StaffListQuery } from '#db/organizations/staff-lists.ts';

export type AuditView = Awaited<ReturnType<AuditRepository['listOf']>>[number];

/** Which lines of an organization are listed. Undefined or empty: any. */
interface AuditQuery {
  categories: readonly AuditCategory[];
  userId?: string | undefined;
  keyId?: string | undefined;
  subjectId?: string | undefined;
  since?: Date | undefined;
  /** Not included. */
  until?: Date | undefined;
  after?: Position | undefined;
  limit: number;
}

/** Which lines of all organizations are listed besides. Undefined: any. */
interface StaffAuditQuery {
  caller?: AuditCaller | undefined;
  userId?: string | undefined;
  since?: Date | undefined;
  /** Not included. */
  until?: Date | undefined;
}

type CountedLine = AuditDraft & { kind?: string | undefined };

const hourMs = 60 * 60 * 1_000;

export class AuditRepository extends Repository<AuditEntry> {
  /** Writes a line at once: in a transaction, it stands or falls with the change that it reports. @returns its id. */
  async write(line: AuditDraft & { actor?: string; keyId?: string | null }): Promise<string> {
    const id = uuidv7();
    await this.insert({ id, ...line });
    return id;
  }

  /**
   * Counts occurrences of which there may be any number: one line stands for all of a kind, of one user and subject, in one hour of
   * the clock, so that a flood takes no more room than one. The line keeps the details of the last occurrence.
   * @param lines differ in organization, subject or kind, which tells lines apart that are otherwise alike. Without an organization
   * a line gets the subject's.
   */
  async countAll(lines: readonly CountedLine[]): Promise<void> {
    const rows = await Promise.all(
      lines.map(async ({ kind = '', ...line }) => {
        const { at, userId, action, organizationId, subjectId } = line;
        const hour = Math.floor(at.getTime() / hourMs);
        const key = JSON.stringify([hour, action, userId, organizationId, subjectId, kind]);
        const owner = organizationId ?? (await this.#ownerOf(subjectId ?? null));
        const bucket = hash('sha256', key, 'base64url');
        return { id: uuidv7(), ...line, organizationId: owner, lastAt: at, bucket, count: 1 };
      }),
    );
    await this.kysely
      .insertInto('AuditEntry')
      // In sorted order two such statements cannot deadlock.
      .values(rows.toSorted((a, b) => (a.bucket < b.bucket ? -1 : 1)))
      .onConflict((conflict) =>
        conflict
          .column('bucket')
          .doUpdateSet(({ ref }) => ({
            count: sql<number>`${ref('AuditEntry.count')} + 1`,
            lastAt: ref('excluded.lastAt'),
            details: ref('excluded.details'),
          }))
          // A sealed line changes no more, not even by a process whose clock is late.
          .where('AuditEntry.position', 'is', null),
      )
      .execute();
  }

  /** The organization that has an id, or that has the link, domain or webhook with it. */
  async #ownerOf(subjectId: string | null): Promise<string | null> {
    if (subjectId === null) return null;
    const owner = await this.kysely
      .selectFrom('Organization')
      .select('id as organization')
      .where('id', '=', subjectId)
      .union(this.kysely.selectFrom('ShortLink').select('organization').where('id', '=', subjectId))
      .union(
        this.kysely
          .selectFrom('Domain')
          .select(({ ref }) => ref('organization').$notNull().as('organization'))
          .where('id', '=', subjectId),
      )
      .union(this.kysely.selectFrom('Webhook').select('organization').where('id', '=', subjectId))
      .executeTakeFirst();
    return owner?.organization ?? null;
  }

  /**
   * Lists lines, the most recent first, with e-mail addresses.
   * @param query `search` finds a part of the action, of the e-mail or of the CLI's user, and the id of a subject.
   */
  list({ organizationId, search, cursor, limit, caller, userId, since, until }: StaffListQuery & StaffAuditQuery) {
    let query = this.kysely
      .selectFrom('AuditEntry as a')
      .leftJoin('User as u', 'u.id', 'a.userId')
      .select([
        'a.id',
        'a.at',
        'a.caller',
        'a.userId',
        'u.email',
        'a.actor',
        'a.action',
        'a.organizationId',
        'a.subjectId',
      ])
      .select(['a.details', 'a.count', ({ fn }) => fn.coalesce('a.lastAt', 'a.at').as('lastAt')])
      .orderBy('a.id', 'desc')
      .limit(limit);
    if (organizationId !== undefined) query = query.where('a.organizationId', '=', organizationId);
    if (caller !== undefined) query = query.where('a.caller', '=', caller);
    if (userId !== undefined) query = query.where('a.userId', '=', userId);
    if (since !== undefined) query = query.where('a.at', '>=', since);
    if (until !== undefined) query = query.where('a.at', '<', until);
    if (cursor !== undefined) query = query.where('a.id', '<', cursor);
    if (search !== undefined) {
      const pattern = containing(search);
      query = query.where(({ eb, or, cast }) =>
        or([
          eb('a.action', 'ilike', pattern),
          eb('u.email', 'ilike', pattern),
          eb('a.actor', 'ilike', pattern),
          eb(cast<string>('a.subjectId', 'text'), '=', search.toLowerCase()),
        ]),
      );
    }
    return query.execute();
  }

  /**
   * Lists lines of an organization, the most recent first, with the present names of their callers and, of members, their e-mail. Staff
   * are named to nobody outside.
   */
  listOf(organizationId: string, { categories, userId, keyId, subjectId, since, until, after, limit }: AuditQuery) {
    let query = this.kysely
      .selectFrom('AuditEntry as a')
      .leftJoin('User as u', (join) => join.onRef('u.id', '=', 'a.userId').on('a.caller', 'in', ['member', 'key']))
      .leftJoin('ApiKey as k', 'k.id', 'a.keyId')
      .select(['a.id', 'a.at', 'a.caller', 'a.keyId', 'a.action', 'a.subjectId', 'a.details', 'a.count'])
      // The aliases keep names that relations have.
      .select(['a.userId as callerId', 'a.position', 'a.hash', 'u.email', 'u.name as userName', 'k.name as keyName'])
      .select(({ fn }) => fn.coalesce('a.lastAt', 'a.at').as('lastAt'))
      .where('a.organizationId', '=', organizationId)
      .orderBy('a.id', 'desc')
      .limit(limit);
    if (categories.length > 0) {
      query = query.where(({ eb, or, and }) =>
        or(
          categories.map((category) => {
            const isInside = eb('a.caller', 'in', ['staff', 'operator']);
            const prefixes = actionPrefixesOf(category);
            if (prefixes === undefined) return isInside;
            const begins = prefixes.map((prefix) => eb('a.action', 'like', `${prefix}%`));
            return and([eb('a.caller', 'not in', ['staff', 'operator']), or(begins)]);
          }),
        ),
      );
    }
    if (userId !== undefined) query = query.where('a.userId', '=', userId).where('a.caller', 'in', ['member', 'key']);
    if (keyId !== undefined) query = query.where('a.keyId', '=', keyId);
    if (subjectId !== undefined) query = query.where('a.subjectId', '=', subjectId);
    if (since !== undefined) query = query.where('a.at', '>=', since);
    if (until !== undefined) query = query.where('a.at', '<', until);
    if (after !== undefined) query = query.where('a.id', '<', after.id);
    return query.execute();
  }
}
