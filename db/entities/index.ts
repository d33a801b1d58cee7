import { IdempotencyKey, LinkPasswordFailures, RateWindows } from './calls.ts';
import { Click, Journal, LinkCap, LinkCounter } from './clicks.ts';
import { Event, OutboxRow, ThreatVerdict } from './durable.ts';
import { InstallationValue } from './installation.ts';
import { Destination, Domain, File, Folder, LinkTag, MetaTags, QrCode, Rule, ShortLink, Tag } from './links.ts';
import { ApiKey, Membership, Organization, Session, SignInFailure, User } from './people.ts';
import { ClickDay, ClickRoll, ClickValue, HiddenLink } from './rollups.ts';
import { Webhook } from './webhooks.ts';

/** Every entity of the database. */
export const entities = [
  Organization,
  User,
  Membership,
  Session,
  SignInFailure,
  ApiKey,
  Domain,
  Folder,
  Tag,
  File,
  QrCode,
  ShortLink,
  Rule,
  Destination,
  MetaTags,
  LinkTag,
  Event,
  OutboxRow,
  ThreatVerdict,
  LinkCounter,
  LinkCap,
  Journal,
  Click,
  RateWindows,
  IdempotencyKey,
  InstallationValue,
  ClickDay,
  ClickRoll,
  ClickValue,
  HiddenLink,
  Webhook,
  LinkPasswordFailures,
];
