import { Migration } from '@mikro-orm/migrations';

/**
 * Adds the table of bots' visits. It is not partitioned: its rows are few beside clicks and go after a month, in batches.
 */
export class BotClicks extends Migration {
  override up(): void {
    this.addSql(`
      create table bot_clicks (
        like clicks including defaults,
        agent_kind text not null,
        agent_reason text not null
      );
      create index bot_clicks_clicked_at_idx on bot_clicks using brin (clicked_at);
      create index bot_clicks_link_id_idx on bot_clicks (link_id);
      create index bot_clicks_organization_id_idx on bot_clicks (organization_id, clicked_at);
    `);
  }
}
