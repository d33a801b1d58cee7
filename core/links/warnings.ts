/** Warnings in answers of calls that create or change a link: no mistake, the call succeeds. */

/** Codes of warnings. Later versions may have more. */
export const linkWarningCodes = ['NO_GEOIP_DATABASE', 'FRAMES_REFUSED'] as const;

/** A warning in the answer of a call that makes or changes a link. */
interface LinkWarning {
  /** Dotted path of the field in the link, as in `issues`. */
  path: string;
  code: (typeof linkWarningCodes)[number];
  message: string;
}

/** The parts of an installation that warnings depend on. */
interface LinkWarningContext {
  /** Whether the edges know visitors' countries (4.5). */
  hasGeoip: boolean;
}

/** Shown by an installation without a GeoIP database. */
export const noGeoipNote = 'GEOIP_DB is not set: rules by country never match, and statistics know no places';

/** Lists the warnings of a link as it is now. */
export function findLinkWarnings(
  { rules, framesRefused }: { rules: readonly { countries: readonly string[] | null }[]; framesRefused: boolean },
  { hasGeoip }: LinkWarningContext,
): LinkWarning[] {
  const warnings: LinkWarning[] = framesRefused
    ? [
        {
          path: 'cloaking',
          code: 'FRAMES_REFUSED',
          message: 'The destination refuses to be shown in a frame: visitors are redirected instead.',
        },
      ]
    : [];
  if (hasGeoip) return warnings;
  const ofRules = rules.flatMap(({ countries }, index): LinkWarning[] | LinkWarning =>
    countries === null
      ? []
      : {
          path: `rules.${index}.countries`,
          code: 'NO_GEOIP_DATABASE',
          message: 'This rule never matches: this installation has no GeoIP database (GEOIP_DB).',
        },
  );
  return [...warnings, ...ofRules];
}
