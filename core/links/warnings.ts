/** What is worth telling whoever makes or changes a link, and is no mistake: the link is made all the same. */

/** Codes of warnings. Later versions may have more. */
export const linkWarningCodes = ['NO_GEOIP_DATABASE'] as const;

/** A warning in the answer of a call that makes or changes a link. */
interface LinkWarning {
  /** Dotted path of the field in the link, as in `issues`. */
  path: string;
  code: (typeof linkWarningCodes)[number];
  message: string;
}

/** What of an installation the warnings depend on. */
interface LinkWarningContext {
  /** Whether countries of visitors can be told (4.5). */
  hasGeoip: boolean;
}

/** Says of an installation without a GeoIP database what that means. */
export const noGeoipNote = 'GEOIP_DB is not set: rules by country never match, and statistics know no places';

/** Finds what is worth a warning in a link as it is now; empty: nothing. */
export function findLinkWarnings(
  { rules }: { rules: readonly { countries: readonly string[] | null }[] },
  { hasGeoip }: LinkWarningContext,
): LinkWarning[] {
  if (hasGeoip) return [];
  return rules.flatMap(({ countries }, index) =>
    countries === null
      ? []
      : {
          path: `rules.${index}.countries`,
          code: 'NO_GEOIP_DATABASE',
          message: 'This rule never matches: this installation has no GeoIP database (GEOIP_DB).',
        },
  );
}
