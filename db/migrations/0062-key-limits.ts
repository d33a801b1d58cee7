import { Migration } from '@mikro-orm/migrations';

/** API keys of the type integration, and for all keys an end, allowed addresses, the last address and the value before a rotation. */
export class KeyLimits extends Migration {
  override up(): void {
    this.addSql(`
      alter table api_keys
        add column expires_at timestamptz(3),
        add column allowed_addresses text[],
        add column last_used_from text,
        add column previous_key_hash bytea,
        add column previous_key_until timestamptz(3),
        drop constraint api_keys_type_check,
        add constraint api_keys_type_check check (type in ('user', 'bot', 'integration')),
        add constraint api_keys_previous_key_hash_key unique (previous_key_hash);
      create unique index api_keys_integration_key on api_keys (organization_id, name)
        where type = 'integration' and deleted_at is null;
    `);
  }
}
