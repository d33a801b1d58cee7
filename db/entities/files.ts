import { defineEntity, type EntityRepositoryType, p } from '@mikro-orm/core';
import type { FileRepository } from '#db/files/files.ts';
import { live, tenant } from '#db/connection/lists/filters.ts';
import { Organization } from './accounts/people.ts';

export const FileSchema = defineEntity({
  name: 'File',
  tableName: 'files',
  filters: { live, tenant },
  properties: {
    id: p.uuid().primary(),
    organization: () => p.manyToOne(Organization).index('files_organization_id_idx'),
    kind: p.enum(['meta-tag', 'qr-code']),
    name: p.text(),
    key: p.text().unique('files_key_key'),
    mime: p.text(),
    size: p.integer(),
    // In pixels; null of SVG images, and of images of an earlier version.
    width: p.integer().nullable(),
    height: p.integer().nullable(),
    // 122 random bits, so that its public address cannot be guessed.
    urlKey: p.text().defaultRaw("replace((gen_random_uuid())::text, '-'::text, ''::text)").unique('files_url_key_key'),
    // Set by the hourly sweep; null: in use.
    unusedSince: p.datetime(3).nullable().defaultRaw('now()'),
    /** When staff took it down: its address answers 404; null: they did not. */
    takenDownAt: p.datetime(3).nullable(),
    takenDownReason: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    // Set, too, while a new file's object is being stored.
    deletedAt: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'files_unused_since_idx', properties: ['unusedSince'], where: 'deleted_at is null' },
    { name: 'files_deleted_at_idx', properties: ['deletedAt'], where: 'deleted_at is not null' },
  ],
});

/** An uploaded image: a link's preview image or a QR code's logo. `key` names it in the object storage. */
export class File extends FileSchema.class {
  declare [EntityRepositoryType]?: FileRepository;
}
FileSchema.setClass(File);
