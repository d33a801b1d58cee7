import { Migration } from '@mikro-orm/migrations';

/** When mails of an invitation were asked for before the last one, so that each counts against the mails of a day. */
export class InvitationMails extends Migration {
  override up(): void {
    this.addSql(`alter table invitations add column earlier_mails timestamptz[] not null default '{}'`);
  }
}
