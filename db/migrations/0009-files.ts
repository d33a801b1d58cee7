import { Migration } from '@mikro-orm/migrations';

/** What makes a file's public address one that nobody guesses, and since when a file is in no use. */
export class Files extends Migration {
  override up(): void {
    this.addSql(`
      alter table files
        add column url_key text not null default replace(gen_random_uuid()::text, '-', ''),
        add column unused_since timestamptz(3) default now();
      alter table files add constraint files_url_key_key unique (url_key);
      create index files_unused_since_idx on files (unused_since) where deleted_at is null;
      create index files_deleted_at_idx on files (deleted_at) where deleted_at is not null;
    `);
  }
}
