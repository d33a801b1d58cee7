import type { Logger } from 'pino';
import type { ClientLimit } from '#core/limits/client-limit.ts';
import type { Caps } from '#edge/caps.ts';
import type { Reply, VisitRequest } from '#edge/http/exchange.ts';
import type { Journal } from '#edge/journal/journal.ts';
import type { Lookup } from '#edge/lookup/lookup.ts';
import type { VisitCounts } from '#edge/metrics.ts';
import type { WarningPass } from '#edge/pages/warning-pass.ts';
import type { PasswordAttempts } from '#edge/password/attempts.ts';
import type { PasswordCookie } from '#edge/password/cookie.ts';
import type { Reports } from '#edge/reports.ts';
import type { Target } from '#edge/request-target.ts';
import type { Enricher } from '#edge/visitor/enricher.ts';
import type { VisitorKeys } from '#edge/visitor/keys.ts';
import type { BotClicks } from './bot-clicks.ts';

/** What the steps of a visit need. */
export interface VisitOptions {
  lookup: Lookup;
  enricher: Enricher;
  visitorKeys: Pick<VisitorKeys, 'pending'>;
  caps: Caps;
  journal: Pick<Journal, 'append'>;
  botClicks: BotClicks;
  warningPass: WarningPass;
  passwordCookie: PasswordCookie;
  passwordAttempts: PasswordAttempts;
  reports: Reports;
  notFoundLimit: ClientLimit;
  counts: VisitCounts;
  log: Pick<Logger, 'error'>;
  /** Contacts in security.txt, as URIs. */
  securityContacts: readonly string[];
  /** The client's address. */
  addressOf(request: VisitRequest): string;
  /** The public address of a stored file. */
  fileUrl(key: string): string;
  /** Maps a visited host to the host that links are looked up under. */
  servedHost(host: string): string;
  /** Answers the edge's own paths, which are the same on every host; false where `target` is not one of them. */
  answerSystemPath(target: Target, reply: Reply): boolean;
  /** Unix time in milliseconds. */
  now(): number;
}
