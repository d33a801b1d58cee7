import { uuidv7 } from '#core/lib/uuid.ts';
import type { CallerKind } from '#core/links/change.ts';
import type { Actor } from './actor.ts';
import type { Resource } from '#core/organizations/permissions.ts';

/** Kinds of things whose changes are kept, with the resource whose readers see the changes. */
export const activitySubjects = {
  shortLink: 'shortLinks',
  folder: 'shortLinks',
  tag: 'shortLinks',
  utmTemplate: 'shortLinks',
  import: 'shortLinks',
  domain: 'domains',
  file: 'files',
  webhook: 'webhooks',
} as const satisfies Record<string, Resource>;

export type ActivitySubject = keyof typeof activitySubjects;

/** What can happen to a subject. */
export const activityActions = [
  'shortLink.created',
  'shortLink.updated',
  'shortLink.deleted',
  'shortLink.flagged',
  'shortLink.expired',
  'folder.created',
  'folder.updated',
  'folder.deleted',
  'tag.created',
  'tag.updated',
  'tag.deleted',
  'utmTemplate.created',
  'utmTemplate.updated',
  'utmTemplate.deleted',
  'import.created',
  'import.cancelled',
  'import.undone',
  'import.completed',
  'domain.created',
  'domain.updated',
  'domain.deleted',
  'domain.verified',
  'domain.lost',
  'file.created',
  'file.deleted',
  'webhook.created',
  'webhook.updated',
  'webhook.secretRotated',
  'webhook.recovered',
  'webhook.disabled',
  'webhook.deleted',
] as const satisfies readonly `${ActivitySubject}.${string}`[];

/** The name of an activity: its subject's kind, and what happened. */
export type ActivityAction = (typeof activityActions)[number];

/** Kinds of callers; `system`: the service itself, as when a check finds a domain verified. */
export const activityCallers = ['key', 'member', 'staff', 'system'] as const satisfies readonly (
  | CallerKind
  | 'system'
)[];

export type ActivityCallerKind = (typeof activityCallers)[number];

/** Who or what changes something: a member or key, staff by the internal tools, or the service itself. */
export type ActivityCaller = Actor | 'staff' | 'system';

/** Further facts of an activity, each a few words: of `detailsOfChange`, counts of an import, types of threats. */
export type ActivityDetails = Readonly<Record<string, string | number | readonly string[]>>;

/**
 * The details of a change: its fields, and those of them that it turned on and off. A call that changed several subjects may have done both.
 * @param changes fields with their new values, of all subjects.
 */
export function detailsOfChange(changes: readonly (readonly [field: string, after: unknown])[]): ActivityDetails {
  const namesOf = (some: typeof changes): string[] => [...new Set(some.map(([field]) => field))];
  const on = namesOf(changes.filter(([, after]) => after === true));
  const off = namesOf(changes.filter(([, after]) => after === false));
  return { fields: namesOf(changes), ...(on.length > 0 && { on }), ...(off.length > 0 && { off }) };
}

/** What happened, before it is known when and by which caller. */
export interface ActivityDraft {
  action: ActivityAction;
  /** Id of the subject; null: several at once. */
  subjectId: string | null;
  /** The name of the subject at that time: of a link its slug, of a webhook without a name its host. */
  name: string | null;
  /** How many subjects one call has changed. */
  count?: number;
  details?: ActivityDetails | undefined;
}

export interface ActivityRow extends Required<Omit<ActivityDraft, 'details'>> {
  id: string;
  organizationId: string;
  at: Date;
  caller: ActivityCallerKind;
  /** The member, or the user of the key; null: staff, whom the audit log names, or the service. */
  userId: string | null;
  keyId: string | null;
  /** Name of the MCP client through which the caller acted. */
  client: string | null;
  details: ActivityDetails | null;
}

/** The row of an activity. @param organizationId whose subject it is. */
export function toActivityRow(
  by: ActivityCaller,
  organizationId: string,
  { count = 1, details, ...draft }: ActivityDraft,
  now: Date,
): ActivityRow {
  return { id: uuidv7(), organizationId, at: now, ...callerOf(by), ...draft, count, details: details ?? null };
}

function callerOf(by: ActivityCaller): Pick<ActivityRow, 'caller' | 'userId' | 'keyId' | 'client'> {
  if (by === 'system') return { caller: 'system', userId: null, keyId: null, client: null };
  if (by === 'staff' || by.isStaff === true) return { caller: 'staff', userId: null, keyId: null, client: null };
  const { userId, keyId = null, client = null } = by;
  return { caller: keyId === null ? 'member' : 'key', userId, keyId, client };
}

/** The kind of an action's subject. */
export function subjectOf(action: ActivityAction): ActivitySubject {
  return action.slice(0, action.indexOf('.')) as ActivitySubject;
}
