/** The most characters of what people write: the API checks them, and the console's fields hold no more. */
export const lengths = {
  /** The name of a folder, a tag or a UTM template. */
  label: 30,
  slug: 255,
  linkTitle: 255,
  externalId: 255,
  note: 2_000,
  linkPassword: 128,
  utmValue: 255,
  cardTitle: 300,
  cardDescription: 1_000,
  passkeyName: 60,
  organizationName: 255,
  /** What staff tell an organization. */
  staffReason: 500,
  /** A text that is searched for. */
  search: 500,
} as const;
