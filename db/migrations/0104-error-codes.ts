import { Migration } from '@mikro-orm/migrations';

/** Notes of attempts of deliveries why they got no answer, as a code beside the sentence. */
export class ErrorCodes extends Migration {
  override up(): void {
    this.addSql('alter table delivery_attempts add column error_code text null');
  }
}
