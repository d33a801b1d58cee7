import { Migration } from '@mikro-orm/migrations';

/** The pixels of an image, which pages for previews name. Images of an earlier version have none. */
export class ImageSizes extends Migration {
  override up(): void {
    this.addSql('alter table files add column width integer, add column height integer');
  }
}
