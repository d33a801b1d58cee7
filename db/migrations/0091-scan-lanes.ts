import { readFileSync } from 'node:fs';
import { Migration } from '@mikro-orm/migrations';

/**
 * The schema of release 0.1.0, in place of the migrations that led there. It bears the name of the last of them: databases that
 * have applied it are as this makes them, but for what 0092 drops.
 */
export class Baseline extends Migration {
  override up(): void {
    this.addSql(readFileSync(new URL('0091-baseline.sql', import.meta.url), 'utf8'));
  }
}
