import type { FilterQuery } from '@mikro-orm/core';
import { sql } from 'kysely';
import { type FileKind, imageFormats } from '#core/files/kinds.ts';
import { containing, offsetOf, type Paging } from '#db/connection/lists/paging.ts';
import { Repository } from '#db/connection/repository.ts';
import { MetaTags } from '#db/entities/links/links.ts';
import { QrCode } from '#db/entities/domains.ts';
import type { File } from '#db/entities/files.ts';

interface FileFilters {
  kind?: FileKind | undefined;
  search?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

export class FileRepository extends Repository<File> {
  /** Makes the row of a file whose object is still to be stored, to be flushed: it counts as deleted until then. */
  addHidden(
    organizationId: string,
    file: Pick<File, 'id' | 'kind' | 'name' | 'key' | 'mime' | 'size' | 'width' | 'height'>,
    now: Date,
  ): File {
    const dates = { createdAt: now, unusedSince: now, deletedAt: new Date() };
    return this.create({ organization: organizationId, ...file, ...dates });
  }

  /** Shows a file whose object is stored. @returns whether its row still exists. */
  async show(id: string): Promise<boolean> {
    return (await this.nativeUpdate({ id }, { deletedAt: null }, { filters: { live: false } })) === 1;
  }

  /**
   * Finds a live file by the random part of its address; files that staff took down, and files of suspended and deleted
   * organizations, are not public.
   */
  findPublic(urlKey: string): Promise<File | null> {
    return this.findOne({ urlKey, takenDownAt: null, organization: { suspendedAt: null, deletedAt: null } });
  }

  /** Lists an organization's files, most recent first: uploaded from `since` on and before `until`. @param search finds names. */
  list(
    organizationId: string,
    { kind, search = '', since, until, ...paging }: FileFilters & Paging,
  ): Promise<[File[], number]> {
    const order = { orderBy: { createdAt: 'desc', id: 'desc' } } as const;
    const where: FilterQuery<File> = {
      ...(kind && { kind }),
      ...(search !== '' && { name: { $ilike: containing(search) } }),
      ...((since ?? until) && { createdAt: { ...(since && { $gte: since }), ...(until && { $lt: until }) } }),
    };
    return this.findAndCount(where, { filters: { tenant: { organizationId } }, ...order, ...offsetOf(paging) });
  }

  /** Whether an organization may put an image into QR codes; locks it against deletion until the transaction ends. */
  async isQrImage(id: string, organizationId: string): Promise<boolean> {
    const file = await this.hold(id, 'key share');
    return file !== null && file.organization.id === organizationId && file.kind === 'qr-code';
  }

  /** Adds up the bytes of an organization's files: of visible ones, and of those whose objects are still to be removed. */
  async sumBytes(organizationId: string): Promise<{ shown: number; leaving: number }> {
    const sums = await this.kysely
      .selectFrom('File as f')
      .select(({ fn }) => [
        fn.sum<string | null>('f.size').filterWhere('f.deletedAt', 'is', null).as('shown'),
        fn.sum<string | null>('f.size').filterWhere('f.deletedAt', 'is not', null).as('leaving'),
      ])
      .where('f.organization', '=', organizationId)
      .executeTakeFirstOrThrow();
    return { shown: Number(sums.shown), leaving: Number(sums.leaving) };
  }

  /** Whether a live link or domain refers to a file. */
  async isUsed(id: string): Promise<boolean> {
    const used = await this.kysely
      .selectFrom('File')
      .select('id')
      .where('id', '=', id)
      .where(isInUse)
      .executeTakeFirst();
    return used !== undefined;
  }

  /** The live links whose preview shows a file, as edges know them. */
  listPreviews(id: string): Promise<{ domainId: string; slug: string }[]> {
    return this.kysely
      .selectFrom('MetaTags as m')
      .innerJoin('ShortLink as l', 'l.id', 'm.link')
      .select(['l.domain as domainId', 'l.slug'])
      .where('m.image', '=', id)
      .where('l.deletedAt', 'is', null)
      .execute();
  }

  /** Counts the live links and domains that refer to files. @returns by id; files without any are not among them. */
  async countUses(ids: readonly string[]): Promise<Map<string, { links: number; domains: number }>> {
    const uses = new Map<string, { links: number; domains: number }>();
    if (ids.length === 0) return uses;
    const inLinks = this.kysely
      .selectFrom('MetaTags as m')
      .innerJoin('ShortLink as l', 'l.id', 'm.link')
      .select(['m.image as id', 'l.id as user'])
      .where('m.image', 'in', ids)
      .where('l.deletedAt', 'is', null);
    const inQrCodes = this.kysely
      .selectFrom('QrCode as q')
      .innerJoin('ShortLink as l', 'l.qrCode', 'q.id')
      .select(['q.image as id', 'l.id as user'])
      .where('q.image', 'in', ids)
      .where('l.deletedAt', 'is', null);
    const links = await this.kysely
      .selectFrom(inLinks.union(inQrCodes).as('u'))
      .select(({ fn }) => ['u.id', fn.countAll<number>().as('count')])
      .groupBy('u.id')
      .execute();
    const domains = await this.kysely
      .selectFrom('QrCode as q')
      .innerJoin('Domain as d', 'd.qrCode', 'q.id')
      .select(({ fn }) => ['q.image as id', fn.countAll<number>().as('count')])
      .where('q.image', 'in', ids)
      .where('d.deletedAt', 'is', null)
      .groupBy('q.image')
      .execute();
    for (const { id, count } of links) uses.set(id!, { links: count, domains: 0 });
    for (const { id, count } of domains) {
      uses.set(id!, { links: uses.get(id!)?.links ?? 0, domains: count });
    }
    return uses;
  }

  /** Records which live files have come into use, and which have fallen out of it, since the last sweep. */
  async noteUse(now: Date): Promise<void> {
    await this.kysely
      .updateTable('File')
      .set({ unusedSince: null })
      .where('deletedAt', 'is', null)
      .where('unusedSince', 'is not', null)
      .where(isInUse)
      .execute();
    await this.kysely
      .updateTable('File')
      .set({ unusedSince: now })
      .where('deletedAt', 'is', null)
      .where('unusedSince', 'is', null)
      .where(isUnused)
      .execute();
  }

  /** Deletes files that have been unused since before a moment. @returns how many. */
  async deleteUnused(before: Date, now: Date): Promise<number> {
    const unused = await this.kysely
      .selectFrom('File as f')
      .select('f.id')
      .where('f.deletedAt', 'is', null)
      .where('f.unusedSince', '<', before)
      .orderBy('f.id')
      .forUpdate()
      .execute();
    if (unused.length === 0) return 0;
    const ids = unused.map(({ id }) => id);
    // Checked again under the lock: a call may have referred to one a moment ago.
    const { numUpdatedRows } = await this.kysely
      .updateTable('File')
      .set({ deletedAt: now })
      .where('id', 'in', ids)
      .where(isUnused)
      .executeTakeFirst();
    return Number(numUpdatedRows);
  }

  /** Restores deleted files that a concurrent call had referred to. @returns how many. */
  async reviveUsed(): Promise<number> {
    const { numUpdatedRows } = await this.kysely
      .updateTable('File')
      .set({ deletedAt: null, unusedSince: null })
      .where('deletedAt', 'is not', null)
      .where(isInUse)
      .executeTakeFirst();
    return Number(numUpdatedRows);
  }

  /** Lists files that were deleted before a moment, the first `limit`: no call under way can refer to them any more. */
  listDeleted(before: Date, limit: number): Promise<File[]> {
    const order = { orderBy: { deletedAt: 'asc', id: 'asc' } } as const;
    return this.find({ deletedAt: { $lt: before } }, { filters: { live: false }, ...order, limit });
  }

  /**
   * Lists live preview images that are WebP, which few programs that show previews read, or whose size in pixels is unknown, in the
   * order of their ids, of all organizations: uploads of earlier versions.
   */
  listOldPreviews(after: string | undefined, limit: number): Promise<File[]> {
    const where: FilterQuery<File> = { kind: 'meta-tag', $or: [{ mime: imageFormats.webp.mime }, { width: null }] };
    if (after !== undefined) where.id = { $gt: after };
    return this.find(where, { orderBy: { id: 'asc' }, limit });
  }

  /** Removes the row of a deleted file, and the references of deleted links and domains to it. */
  async remove(id: string): Promise<void> {
    await this.em.nativeUpdate(MetaTags, { image: id }, { image: null });
    await this.em.nativeUpdate(QrCode, { image: id }, { image: null });
    await this.nativeDelete({ id, deletedAt: { $ne: null } }, { filters: { live: false } });
  }
}

/** Kysely: whether a live link or domain refers to a file of `files`. References of deleted ones do not count. */
const isInUse = sql<boolean>`(
  exists (select from meta_tags m join short_links l on l.id = m.link_id where m.image_id = files.id and l.deleted_at is null)
  or exists (select from qr_codes q where q.image_id = files.id and (
    exists (select from short_links l where l.qr_code_id = q.id and l.deleted_at is null)
    or exists (select from domains d where d.qr_code_id = q.id and d.deleted_at is null))))`;
const isUnused = sql<boolean>`not ${isInUse}`;
