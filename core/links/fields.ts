import * as z from 'zod';
import { lengths } from '#core/lengths.ts';
import { momentInputSchema, text } from '#core/lib/schemas.ts';
import { webAddressSchema } from './destination.ts';

/** The value of a field by its kind, as it is stored. */
interface ValueOfKind {
  text: string | null;
  flag: boolean;
  moment: Date | null;
  count: number | null;
}

type FieldKind = keyof ValueOfKind;

/**
 * `initial` is the value of a link that is created without the field. `schema` checks what a client sends. `about` describes the
 * field in answers, and in calls where `schema` has no description of its own.
 */
interface PlainField {
  kind: FieldKind;
  initial: boolean | null;
  about: string;
  schema: z.ZodType;
  /** Whether searches of links look in it. */
  isSearched?: boolean;
}

const utm = (parameter: string) =>
  ({
    kind: 'text',
    initial: null,
    about: `\`${parameter}\` of the destination; null without one.`,
    schema: text({ max: lengths.utmValue })
      // An empty value would add an empty parameter to every visit.
      .transform((value) => (value === '' ? null : value))
      .nullable()
      .optional(),
  }) as const satisfies PlainField;

/**
 * The plain fields of a link: each is one column, which clients set and read as it is. Create, update, upsert, bulk calls,
 * answers, `previous` of `link.updated`, export, import and the statements take their fields from this list; the column is in
 * the entity ShortLink. Another one: docs/recipes/add-a-field.md.
 */
export const plainFields = {
  title: {
    kind: 'text',
    initial: null,
    about: 'Title; null without one.',
    schema: text({ max: lengths.linkTitle }).nullable().optional().describe('For your own use; visitors never see it.'),
    isSearched: true,
  },
  externalId: {
    kind: 'text',
    initial: null,
    about: 'Your own id, unique in the organization; null without one.',
    schema: text({ min: 1, max: lengths.externalId })
      .nullable()
      .optional()
      .describe('Your own id, unique in the organization.'),
  },
  isActive: { kind: 'flag', initial: true, about: 'Whether it is turned on.', schema: z.boolean().optional() },
  // Visits after this moment are decided by core/routing/decide.ts.
  expiresAt: {
    kind: 'moment',
    initial: null,
    about: 'When the link stops leading to its destination, UTC; null: never.',
    schema: momentInputSchema.nullable().optional().describe('A moment in the future.'),
  },
  expiredUrl: {
    kind: 'text',
    initial: null,
    about: 'Where visitors are led after the end of the link; null: a page says that it has ended.',
    schema: webAddressSchema.nullable().optional().describe('Address for visitors once the link has expired.'),
  },
  maxClicks: {
    kind: 'count',
    initial: null,
    about: 'How many visits the link is made for; null: any number.',
    schema: z.int().min(1).nullable().optional(),
  },
  cloaking: {
    kind: 'flag',
    initial: false,
    about: 'Whether the destination is shown in a frame, under the address of the short link.',
    schema: z.boolean().optional(),
  },
  forwardQuery: {
    kind: 'flag',
    initial: false,
    about: 'Whether the query of the visit is added to the destination.',
    schema: z.boolean().optional(),
  },
  utmSource: utm('utm_source'),
  utmMedium: utm('utm_medium'),
  utmCampaign: utm('utm_campaign'),
  utmTerm: utm('utm_term'),
  utmContent: utm('utm_content'),
  notes: {
    kind: 'text',
    initial: null,
    about: 'An internal text; null without one.',
    schema: text({ max: lengths.note }).nullable().optional().describe('For your own use; visitors never see them.'),
    isSearched: true,
  },
  isArchived: {
    kind: 'flag',
    initial: false,
    about: 'Whether it is archived: it does not redirect, and lists leave it out.',
    schema: z
      .boolean()
      .optional()
      .describe('An archived link does not redirect, and lists leave it out; it keeps its slug and its statistics.'),
  },
} as const satisfies Record<string, PlainField>;

/** Name of a plain field, in the API and in the entity ShortLink. */
export type PlainName = keyof typeof plainFields;

type KindOf<Name extends PlainName> = (typeof plainFields)[Name]['kind'];

/** The plain fields of a link as they are stored. */
export type PlainValues = { [Name in PlainName]: ValueOfKind[KindOf<Name>] };

/** The plain fields of a link as answers and events show them: moments are ISO 8601. */
type ShownValues = {
  [Name in PlainName]: KindOf<Name> extends 'moment' ? string | null : PlainValues[Name];
};

/** Names of the plain fields, in the order of answers. */
export const plainNames = Object.keys(plainFields) as readonly PlainName[];

/** The flags of a link that is created without them. */
export const initialFlags = Object.fromEntries(
  plainNames.flatMap((name) => (plainFields[name].kind === 'flag' ? [[name, plainFields[name].initial]] : [])),
);

export const textNames = plainNames.filter((name) => plainFields[name].kind === 'text');

type SearchedName = {
  [Name in PlainName]: (typeof plainFields)[Name] extends { isSearched: true } ? Name : never;
}[PlainName];

const searchedNames = plainNames.filter((name): name is SearchedName => 'isSearched' in plainFields[name]);

/** Builds an object with a member for each plain field. */
function mapFields<T>(value: (name: PlainName, field: PlainField) => T): Record<PlainName, T> {
  const mapped: Partial<Record<PlainName, T>> = {};
  for (const name of plainNames) mapped[name] = value(name, plainFields[name]);
  return mapped as Record<PlainName, T>;
}

/** The Zod shape of the plain fields in the bodies of calls. */
export const plainShape = mapFields((_name, { about, schema }) =>
  schema.description === undefined ? schema.describe(about) : schema,
) as {
  [Name in PlainName]: (typeof plainFields)[Name]['schema'];
};

/** Builds the Zod shape of the plain fields in answers. @param schemas a schema for each kind of field. */
export function answerShape<S extends Record<FieldKind, z.ZodType>>(
  schemas: S,
): { [Name in PlainName]: S[KindOf<Name>] } {
  return mapFields((_name, { about, kind }) => schemas[kind].describe(about));
}

/** The plain fields of a link, without its other fields. */
export function pickPlain(link: PlainValues): PlainValues {
  return mapFields((name) => link[name]) as PlainValues;
}

/** The plain fields of a new link: of its draft, else their initial values. */
export function initialPlain(draft: { [Name in PlainName]?: PlainValues[Name] | undefined }): PlainValues {
  return mapFields((name, { initial }) => draft[name] ?? initial) as PlainValues;
}

/** The plain fields that a patch sets. */
export function patchedPlain(patch: { [Name in PlainName]?: PlainValues[Name] | undefined }): Partial<PlainValues> {
  return Object.fromEntries(plainNames.flatMap((name) => (patch[name] === undefined ? [] : [[name, patch[name]]])));
}

/** The plain fields of a link as answers and events show them. */
export function showPlain(link: PlainValues): ShownValues {
  return mapFields((name) => {
    const value = link[name];
    return value instanceof Date ? value.toISOString() : value;
  }) as ShownValues;
}

/** The plain fields of a link as texts, for a file. */
export function writePlain(link: PlainValues): Record<PlainName, string | null> {
  const shown = showPlain(link);
  return mapFields((name) => (shown[name] === null ? null : String(shown[name])));
}

/** Values of the fields that searches look in. */
export function searchedValues(link: Pick<PlainValues, SearchedName>): (string | null)[] {
  return searchedNames.map((name) => link[name]);
}

const columnTypes = { text: 'text', flag: 'boolean', moment: 'timestamptz', count: 'bigint' } as const;

/** Types of the plain fields' columns in PostgreSQL. */
export const plainTypes = mapFields((_name, { kind }) => columnTypes[kind]);
