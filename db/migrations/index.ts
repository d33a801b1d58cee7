import { Baseline } from './0091-scan-lanes.ts';
import { NoScanRecords } from './0092-no-scan-records.ts';
import { BotClicks } from './0093-bot-clicks.ts';
import { PlannedBatches } from './0096-planned-batches.ts';
import { Traces } from './0097-traces.ts';
import { RequestLog } from './0098-request-log.ts';
import { Clients } from './0099-clients.ts';
import { ConnectedApps } from './0100-connected-apps.ts';
import { OauthNetworks } from './0101-oauth-networks.ts';
import { LostColumns } from './0102-lost-columns.ts';
import { SlugStatistics } from './0103-slug-statistics.ts';
import { ErrorCodes } from './0104-error-codes.ts';

/** All migrations in the order in which they are applied. MikroORM would find files by itself, with a glob on their folder. */
export const migrations = [
  { name: '0091-scan-lanes', class: Baseline },
  { name: '0092-no-scan-records', class: NoScanRecords },
  { name: '0093-bot-clicks', class: BotClicks },
  { name: '0096-planned-batches', class: PlannedBatches },
  { name: '0097-traces', class: Traces },
  { name: '0098-request-log', class: RequestLog },
  { name: '0099-clients', class: Clients },
  { name: '0100-connected-apps', class: ConnectedApps },
  { name: '0101-oauth-networks', class: OauthNetworks },
  { name: '0102-lost-columns', class: LostColumns },
  { name: '0103-slug-statistics', class: SlugStatistics },
  { name: '0104-error-codes', class: ErrorCodes },
];
