import { Activity, AuditChain, AuditEntrySchema } from './audit.ts';
import { IdempotencyKey, LinkPasswordFailures, RateWindows } from './calls.ts';
import { Click, Journal, LinkCap, LinkCounter, VisitorKey } from './clicks.ts';
import { DomainSchema, QrCode } from './domains.ts';
import { FileSchema } from './files.ts';
import { InstallationValue, Worker } from './installation.ts';
import {
  Destination,
  FolderSchema,
  LinkChange,
  LinkReport,
  LinkTag,
  LinkTotal,
  MetaTags,
  Rule,
  ShortLinkSchema,
  TagSchema,
} from './links.ts';
import {
  ApiKeySchema,
  MembershipSchema,
  OrganizationSchema,
  PasswordResetSchema,
  SessionSchema,
  SignInFailure,
  UserSchema,
} from './people.ts';
import { Deletion, OutboxRow } from './processes.ts';
import { ImportRow, ImportSchema } from './imports.ts';
import { UtmTemplateSchema } from './utm-templates.ts';
import {
  AnsweredScan,
  ScanBatch,
  ScanDay,
  ThreatList,
  ThreatListChunk,
  ThreatNotice,
  ThreatVerdict,
} from './threats.ts';
import { ClickDay, ClickRoll, ClickValue, ClickWeekRoll, ClickWeekValue, HiddenLink } from './rollups.ts';
import {
  DeliveryAttempt,
  DeliverySchema,
  Event,
  EventScope,
  QueuedEvent,
  WebhookRecoverySchema,
  WebhookSchema,
} from './webhooks.ts';

/** Every entity of the database: its definition, whose class is the entity's. */
export const entities = [
  OrganizationSchema,
  VisitorKey,
  UserSchema,
  MembershipSchema,
  SessionSchema,
  SignInFailure,
  PasswordResetSchema,
  ApiKeySchema,
  DomainSchema,
  FolderSchema,
  TagSchema,
  UtmTemplateSchema,
  FileSchema,
  QrCode,
  ShortLinkSchema,
  Rule,
  Destination,
  MetaTags,
  LinkTag,
  LinkTotal,
  Event,
  OutboxRow,
  ThreatVerdict,
  AnsweredScan,
  ScanBatch,
  ScanDay,
  ThreatNotice,
  ThreatList,
  ThreatListChunk,
  LinkCounter,
  LinkCap,
  Journal,
  Click,
  RateWindows,
  IdempotencyKey,
  InstallationValue,
  Worker,
  ClickDay,
  ClickRoll,
  ClickValue,
  ClickWeekRoll,
  ClickWeekValue,
  HiddenLink,
  Deletion,
  WebhookSchema,
  QueuedEvent,
  EventScope,
  DeliverySchema,
  DeliveryAttempt,
  WebhookRecoverySchema,
  LinkPasswordFailures,
  LinkReport,
  LinkChange,
  AuditEntrySchema,
  AuditChain,
  Activity,
  ImportSchema,
  ImportRow,
];
