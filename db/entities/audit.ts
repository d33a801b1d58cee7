import { defineEntity, type EntityRepositoryType, type InferEntity, p } from '@mikro-orm/core';
import type { ActivityAction, ActivityCallerKind, ActivityDetails } from '#core/audit/activity.ts';
import type { AuditCaller } from '#core/audit/audit.ts';
import type { AuditRepository } from '#db/audit/audit.ts';

export const AuditEntrySchema = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_log',
  properties: {
    id: p.uuid().primary(),
    at: p.datetime(3).index('audit_log_at_idx'),
    caller: p.text().$type<AuditCaller>(),
    /** The user; of a sign-in, the account that was tried. Null: a caller without an account, or an unknown account. */
    userId: p.uuid().nullable().index('audit_log_user_id_idx'),
    keyId: p.uuid().nullable(),
    /** A change (`apiKey.created`), a procedure (`organizations.suspend`), a command (`org create`), or an event (`auth.loginFailed`). */
    action: p.text(),
    /** Organization of the subject; null where it has none. */
    organizationId: p.uuid().nullable(),
    /** Id of the row that was changed or read. */
    subjectId: p.uuid().nullable(),
    /** Further input of the call, without secrets. */
    details: p.json().$type<Record<string, unknown>>(),
    /** A caller without an account: `cli:` and the name of the operating system's user. */
    actor: p.text().nullable(),
    /** Occurrences in the hour that began with `at`, or just before. */
    count: p.integer().default(1),
    lastAt: p.datetime(3).nullable(),
    bucket: p.text().nullable().unique('audit_log_bucket_key'),
    /** The place in the chain of its organization, from 1; null: not yet sealed. */
    position: p.integer().nullable(),
    /** Goes into the hash with the details; null: the details were erased after the line was sealed. */
    salt: p.text().nullable(),
    /** Of salt and details. */
    detailsHash: p.text().nullable(),
    /** Of the line and of the hash before it, in hexadecimal. */
    hash: p.text().nullable(),
  },
  indexes: [
    { name: 'audit_log_organization_id_idx', properties: ['organizationId', 'id'] },
    { name: 'audit_log_position_idx', properties: ['organizationId', 'position'] },
    { name: 'audit_log_unsealed_idx', properties: ['id'], where: 'position is null' },
  ],
});

/** A line of the audit log. It outlives people, organizations and subjects: no foreign keys. */
export class AuditEntry extends AuditEntrySchema.class {
  declare [EntityRepositoryType]?: AuditRepository;

  /** Adds what is known only after the change. */
  complete({ organizationId, subjectId, details }: Partial<AuditSubject>): void {
    this.organizationId = organizationId ?? this.organizationId;
    this.subjectId = subjectId ?? this.subjectId;
    this.details = { ...this.details, ...details };
  }
}
AuditEntrySchema.setClass(AuditEntry);

type AuditSubject = Pick<AuditEntry, 'organizationId' | 'subjectId' | 'details'>;

export type AuditDraft = AuditSubject & Pick<AuditEntry, 'at' | 'caller' | 'userId' | 'action'>;

export const AuditChain = defineEntity({
  name: 'AuditChain',
  tableName: 'audit_chains',
  properties: {
    /** The organization; the nil UUID: lines of no organization. It outlives the organization: no foreign key. */
    id: p.uuid().primary(),
    /** The position of the last line. */
    length: p.integer(),
    /** The hash of the last line. */
    head: p.text(),
    /** The position of the first line that is kept: older ones were forgotten. */
    keptFrom: p.integer(),
    /** The hash before it. */
    keptAfter: p.text(),
  },
});
export type AuditChain = InferEntity<typeof AuditChain>;

/** A change that members and keys of its organization may see. It outlives its subject and its caller: no foreign keys. */
export const Activity = defineEntity({
  name: 'Activity',
  tableName: 'activities',
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    at: p.datetime(3),
    action: p.text().$type<ActivityAction>(),
    /** Null: several subjects at once. Of a link's create it is the row's own id. */
    subjectId: p.uuid().nullable(),
    /** The subject's name at that time. */
    name: p.text().nullable(),
    caller: p.text().$type<ActivityCallerKind>(),
    userId: p.uuid().nullable(),
    keyId: p.uuid().nullable(),
    client: p.text().nullable(),
    /** How many subjects the call has changed. */
    count: p.integer(),
    details: p.json().$type<ActivityDetails>().nullable(),
  },
  indexes: [
    {
      name: 'activities_subject_id_idx',
      properties: ['subjectId', 'id'],
      where: 'subject_id <> id',
    },
    { name: 'activities_at_idx', properties: ['at'], type: 'brin' },
  ],
});
export type Activity = InferEntity<typeof Activity>;
