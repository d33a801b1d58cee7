/** Which kind of caller changed a link: an API key, a signed-in member, or staff with the internal tools. */
export const callerKinds = ['key', 'member', 'staff'] as const;

export type CallerKind = (typeof callerKinds)[number];

/** A field of a link before and after a change, as answers show it; of a password only whether there was one. */
interface FieldChange {
  before: unknown;
  after: unknown;
}

/** The fields that a change has changed, by the names that `link.updated` has for them. */
export type FieldChanges = Record<string, FieldChange>;
