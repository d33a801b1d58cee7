import { Migration } from '@mikro-orm/migrations';

/** The browser and the system of a session, as they call themselves, so that people know their devices. */
export class SessionBrowsers extends Migration {
  override up(): void {
    this.addSql('alter table sessions add column browser text, add column os text;');
  }
}
