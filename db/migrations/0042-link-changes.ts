import { Migration } from '@mikro-orm/migrations';

/** The changes of each link: the newest ones, with the fields before and after. */
export class LinkChanges extends Migration {
  override up(): void {
    this.addSql(`
      create table link_changes (
        link_id uuid not null,
        number int not null,
        id uuid not null,
        at timestamptz(3) not null,
        caller text not null,
        user_id uuid,
        key_id uuid,
        fields jsonb not null,
        undoes uuid,
        total_bytes bigint not null,
        primary key (link_id, number),
        constraint link_changes_caller_check check (caller in ('key', 'member', 'staff'))
      )
    `);
  }
}
