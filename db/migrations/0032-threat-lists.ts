import { Migration } from '@mikro-orm/migrations';

/** Lists of hash prefixes of dangerous URLs (Web Risk in the mode `lists`), and what each worker's scanner goes by. */
export class ThreatListsOfWebRisk extends Migration {
  override up(): void {
    this.addSql(`
      create table threat_lists (
        threat_type text not null,
        version int not null,
        version_token bytea,
        checksum bytea not null,
        entries int not null,
        changed_at timestamptz(3) not null,
        checked_at timestamptz(3) not null,
        next_diff_at timestamptz(3) not null,
        primary key (threat_type)
      );
      create table threat_list_chunks (
        threat_type text not null,
        version int not null,
        position int not null,
        prefix_size smallint not null,
        prefixes bytea not null,
        primary key (threat_type, version, position)
      );
      alter table workers add column scanner text;
      -- Parts of hashes do not compress.
      alter table threat_list_chunks alter column prefixes set storage external;
    `);
  }
}
