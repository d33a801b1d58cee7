import { defineEntity, type EntityRepositoryType, type InferEntity, p } from '@mikro-orm/core';
import { laterThan } from '#core/lib/later-than.ts';
import type { KeyLimits } from '#core/organizations/key-limits.ts';
import { keyTypes, type Permissions } from '#core/organizations/permissions.ts';
import { threatPolicies } from '#core/threats/policy.ts';
import type { ApiKeyRepository } from '#db/organizations/api-keys.ts';
import type { InvitationRepository } from '#db/organizations/invitations.ts';
import type { OrganizationRepository } from '#db/organizations/organizations.ts';
import type { PasswordResetRepository } from '#db/accounts/password-resets.ts';
import type { MembershipRepository, UserRepository } from '#db/organizations/people.ts';
import type { SessionRepository } from '#db/accounts/sessions.ts';
import { live, tenant } from '#db/connection/lists/filters.ts';

export const OrganizationSchema = defineEntity({
  name: 'Organization',
  tableName: 'organizations',
  filters: { live },
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    plan: p.enum(['free', 'premium']),
    suspendedAt: p.datetime(3).nullable(),
    /** What staff tell the organization about its suspension. */
    suspensionReason: p.text().nullable(),
    /** Visits with `Sec-GPC: 1` are counted without a visitor's hash, and with the country as their only location. */
    honoursGpc: p.boolean().default(false),
    /** What visitors of a link with known threats get. */
    threatPolicy: p.enum(threatPolicies).default('warn'),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
    deletedAt: p.datetime(3).nullable(),
  },
});

/** The tenant: every resource belongs to one. `suspendedAt` set: the edge answers 404, keys and sessions 403. */
export class Organization extends OrganizationSchema.class {
  declare [EntityRepositoryType]?: OrganizationRepository;

  /** Changes some fields, in force with the next call of the organization's keys and sessions. */
  change(
    fields: Partial<
      Pick<Organization, 'name' | 'plan' | 'suspendedAt' | 'suspensionReason' | 'honoursGpc' | 'threatPolicy'>
    >,
    now: Date,
  ): void {
    Object.assign(this, fields, { updatedAt: laterThan(this.updatedAt, now) });
  }
}
OrganizationSchema.setClass(Organization);

export const UserSchema = defineEntity({
  name: 'User',
  tableName: 'users',
  filters: { live },
  properties: {
    id: p.uuid().primary(),
    type: p.enum(['human', 'bot']),
    email: p.text().nullable(),
    name: p.text(),
    passwordHash: p.text().nullable().hidden().lazy(),
    isStaff: p.boolean().default(false),
    /** When a mail, a provider or the operator showed that the e-mail is the person's; null: it is not verified. */
    emailVerifiedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
    deletedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'users_email_key', properties: ['email'], where: 'deleted_at is null' }],
});

/** A person, or an organization's user named Bot, to whom a bot key's actions are attributed (`email` is null then). */
export class User extends UserSchema.class {
  declare [EntityRepositoryType]?: UserRepository;
}
UserSchema.setClass(User);

export const MembershipSchema = defineEntity({
  name: 'Membership',
  tableName: 'memberships',
  filters: { tenant },
  properties: {
    organization: () => p.manyToOne(Organization).primary(),
    user: () => p.manyToOne(User).primary().index('memberships_user_id_idx'),
    role: p.enum(['owner', 'admin', 'member']),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

export class Membership extends MembershipSchema.class {
  declare [EntityRepositoryType]?: MembershipRepository;
}
MembershipSchema.setClass(Membership);

export const SessionSchema = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    id: p.uuid().primary(),
    tokenHash: p.blob().unique('sessions_token_hash_key').hidden(),
    user: () => p.manyToOne(User).index('sessions_user_id_idx'),
    organization: () => p.manyToOne(Organization).index('sessions_organization_id_idx'),
    createdAt: p.datetime(3).defaultRaw('now()'),
    lastSeenAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3).index('sessions_expires_at_idx'),
    browser: p.text().nullable(),
    os: p.text().nullable(),
    /** When the person last showed that it is them: at the sign-in, or later. */
    confirmedAt: p.datetime(3).defaultRaw('now()'),
    /** When a second factor did so last; null: a password or an identity provider alone did. */
    secondFactorAt: p.datetime(3).nullable(),
    /** Whether the identity provider of the organization opened it: it counts in this organization alone. */
    isByProvider: p.boolean().default(false),
  },
});

/**
 * A signed-in browser: the SHA-256 of a random token, a new row at each login. `browser` and `os` are what it calls itself.
 */
export class Session extends SessionSchema.class {
  declare [EntityRepositoryType]?: SessionRepository;
}
SessionSchema.setClass(Session);

export const StaffView = defineEntity({
  name: 'StaffView',
  tableName: 'staff_views',
  properties: {
    id: p.uuid().primary(),
    /** Null: the session has ended, and the view with it. */
    session: () => p.manyToOne(Session).nullable().deleteRule('set null').unique('staff_views_session_key'),
    userId: p.uuid(),
    organizationId: p.uuid(),
    /** What staff gave as the reason; the organization reads it in its audit log. */
    reason: p.text(),
    beganAt: p.datetime(3),
    until: p.datetime(3),
  },
});
/** An organization that staff look at by a session, read-only. The row goes with the view: the audit log keeps both ends. No foreign keys but the session. */
export type StaffView = InferEntity<typeof StaffView>;

/**
 * An attempt to sign in that failed, or is under way. Account and client are keyed hashes, which reveal neither an e-mail
 * nor an address.
 */
export const SignInFailure = defineEntity({
  name: 'SignInFailure',
  tableName: 'sign_in_failures',
  properties: {
    id: p.uuid().primary(),
    account: p.blob(),
    client: p.text(),
    failedAt: p.datetime(3).index('sign_in_failures_failed_at_idx'),
  },
  indexes: [{ name: 'sign_in_failures_account_idx', properties: ['account', 'failedAt'] }],
});

export const OidcProvider = defineEntity({
  name: 'OidcProvider',
  tableName: 'oidc_providers',
  properties: {
    organization: () => p.manyToOne(Organization).primary(),
    issuer: p.text(),
    clientId: p.text(),
    /** Sealed (12.3). */
    clientSecretSealed: p.blob().hidden(),
    /** People whose e-mail is at this domain sign in by the provider; a domain that the organization has verified. */
    emailDomain: p.text().unique('oidc_providers_email_domain_key'),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});
export type OidcProvider = InferEntity<typeof OidcProvider>;

export const OidcIdentity = defineEntity({
  name: 'OidcIdentity',
  tableName: 'oidc_identities',
  properties: {
    issuer: p.text().primary(),
    /** The person's id at the issuer. */
    subject: p.text().primary(),
    user: () => p.manyToOne(User).index('oidc_identities_user_id_idx'),
    createdAt: p.datetime(3),
    lastUsedAt: p.datetime(3),
  },
});
/** Which person an identity at an issuer is, since their first sign-in by it. */
export type OidcIdentity = InferEntity<typeof OidcIdentity>;

export const PasswordResetSchema = defineEntity({
  name: 'PasswordReset',
  tableName: 'password_resets',
  properties: {
    id: p.uuid().primary(),
    account: p.blob().index('password_resets_account_idx'),
    user: () => p.manyToOne(User).nullable().index('password_resets_user_id_idx'),
    createdAt: p.datetime(3).defaultRaw('now()'),
    expiresAt: p.datetime(3).index('password_resets_expires_at_idx'),
    mailedAt: p.datetime(3).nullable(),
  },
});

/**
 * A request of a new password by e-mail; the token of its link derives from `id` (ADR 44). `account` is a keyed hash of the e-mail.
 * `user` is null where no account has the e-mail: such a row keeps calls about known and unknown e-mails alike, and nothing else
 * comes of it.
 */
export class PasswordReset extends PasswordResetSchema.class {
  declare [EntityRepositoryType]?: PasswordResetRepository;
}
PasswordResetSchema.setClass(PasswordReset);

export const InvitationSchema = defineEntity({
  name: 'Invitation',
  tableName: 'invitations',
  filters: { tenant },
  properties: {
    id: p.uuid().primary(),
    organization: () => p.manyToOne(Organization).index('invitations_organization_id_idx'),
    /** Normalised. */
    email: p.text(),
    role: p.enum(['owner', 'admin', 'member']),
    invitedBy: () => p.manyToOne(User).nullable().index('invitations_invited_by_idx'),
    /** The API key by which the person invited; null: a session. */
    keyId: p.uuid().nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3).index('invitations_expires_at_idx'),
    /** When the mail was asked for last. */
    mailWantedAt: p.datetime(3),
    /** When mails before that one were asked for, as far as they count against the mails of a day. */
    earlierMails: p.array().columnType('timestamptz[]').defaultRaw(`'{}'`).lazy(),
    mailedAt: p.datetime(3).nullable(),
    endedAt: p.datetime(3).nullable(),
    outcome: p.enum(['accepted', 'revoked', 'expired']).nullable(),
  },
  uniques: [{ name: 'invitations_pending_key', properties: ['organization', 'email'], where: 'ended_at is null' }],
});

/** An invitation to an organization by e-mail; the token of its link derives from `id`. */
export class Invitation extends InvitationSchema.class {
  declare [EntityRepositoryType]?: InvitationRepository;

  /** `pending` until it is accepted, taken back, or its time is over. */
  stateAt(now: Date): 'pending' | 'accepted' | 'revoked' | 'expired' {
    return this.outcome ?? (this.expiresAt > now ? 'pending' : 'expired');
  }
}
InvitationSchema.setClass(Invitation);

export const noticeKinds = [
  'newDevice',
  'passwordChanged',
  'secondFactorAdded',
  'secondFactorRemoved',
  'recoveryCodeUsed',
] as const;

export interface NoticeDetails {
  browser?: string | null;
  os?: string | null;
  /** The second factor that was added or removed. */
  factor?: string;
}

export const AccountNotice = defineEntity({
  name: 'AccountNotice',
  tableName: 'account_notices',
  properties: {
    id: p.uuid().primary(),
    user: () => p.manyToOne(User).index('account_notices_user_id_idx'),
    kind: p.enum(noticeKinds),
    details: p.json().$type<NoticeDetails>(),
    createdAt: p.datetime(3).index('account_notices_created_at_idx'),
    mailedAt: p.datetime(3).nullable(),
  },
});
export type AccountNotice = InferEntity<typeof AccountNotice>;

export const KnownDevice = defineEntity({
  name: 'KnownDevice',
  tableName: 'known_devices',
  properties: {
    user: () => p.manyToOne(User).primary(),
    /** SHA-256 of the random token in the cookie of the browser. */
    tokenHash: p.blob().primary().hidden(),
    createdAt: p.datetime(3),
    lastSeenAt: p.datetime(3).index('known_devices_last_seen_at_idx'),
  },
});
export type KnownDevice = InferEntity<typeof KnownDevice>;

export const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  filters: { live, tenant },
  properties: {
    id: p.uuid().primary(),
    organization: () => p.manyToOne(Organization).index('api_keys_organization_id_idx'),
    user: () => p.manyToOne(User).index('api_keys_user_id_idx'),
    type: p.enum(keyTypes),
    name: p.text(),
    permissions: p.json().$type<Permissions>(),
    keyHash: p.blob().unique('api_keys_key_hash_key').hidden(),
    last4: p.text(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    updatedAt: p.datetime(3).defaultRaw('now()'),
    lastUsedAt: p.datetime(3).nullable(),
    lastUsedFrom: p.text().nullable(),
    expiresAt: p.datetime(3).nullable(),
    allowedAddresses: p.array().nullable(),
    folderIds: p.array().columnType('uuid[]').nullable(),
    domainIds: p.array().columnType('uuid[]').nullable(),
    /** Of the value before the last rotation, which works until `previousKeyUntil`. */
    previousKeyHash: p.blob().unique('api_keys_previous_key_hash_key').nullable().hidden(),
    previousKeyUntil: p.datetime(3).nullable(),
    deletedAt: p.datetime(3).nullable(),
  },
  uniques: [
    {
      name: 'api_keys_user_key',
      properties: ['organization', 'user'],
      where: "type = 'user' and deleted_at is null",
    },
    { name: 'api_keys_bot_key', properties: ['organization'], where: "type = 'bot' and deleted_at is null" },
    {
      name: 'api_keys_integration_key',
      properties: ['organization', 'name'],
      where: "type = 'integration' and deleted_at is null",
    },
  ],
});

/** An API key; only the SHA-256 of its values is stored. A revoked key has `deletedAt`. */
export class ApiKey extends ApiKeySchema.class {
  declare [EntityRepositoryType]?: ApiKeyRepository;

  change(fields: { name: string; permissions: Permissions } & KeyLimits, now: Date): void {
    Object.assign(this, fields, { updatedAt: laterThan(this.updatedAt, now) });
    const { expiresAt, previousKeyUntil } = this;
    if (expiresAt && previousKeyUntil && previousKeyUntil > expiresAt) this.previousKeyUntil = expiresAt;
  }

  /** Gives the key another value; the present one works until `previousUntil` or the key's end, and one before it no longer. */
  rotate(
    { keyHash, last4 }: { keyHash: Buffer; last4: string },
    { previousUntil, now }: { previousUntil: Date; now: Date },
  ): void {
    const until = new Date(Math.min(previousUntil.getTime(), this.expiresAt?.getTime() ?? Infinity));
    const keepsPrevious = until > now;
    Object.assign(this, {
      previousKeyHash: keepsPrevious ? this.keyHash : null,
      previousKeyUntil: keepsPrevious ? until : null,
      keyHash,
      last4,
      updatedAt: laterThan(this.updatedAt, now),
    });
  }

  revoke(now: Date): void {
    Object.assign(this, { deletedAt: now, updatedAt: laterThan(this.updatedAt, now) });
  }
}
ApiKeySchema.setClass(ApiKey);
