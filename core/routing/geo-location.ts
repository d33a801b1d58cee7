/** The location of an IP address; null: unknown. */
export interface GeoLocation {
  /** ISO 3166-1 alpha-2, upper-case. */
  readonly country: string | null;
  readonly region: string | null;
  readonly city: string | null;
  /** AF AN AS EU NA OC SA. */
  readonly continent: string | null;
}

/** Finds locations by IP address. `version` changes with the data. */
export interface GeoLookup {
  readonly version: number;
  find(address: string): GeoLocation | null;
}
