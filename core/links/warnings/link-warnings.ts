import type { QrOptions } from '#core/links/qr-code.ts';
import { findQrWarnings } from './qr-warnings.ts';

/** Warnings in answers of calls that create or change a link: no mistake, the call succeeds. */

/** Codes of warnings. Later versions may have more. */
export const linkWarningCodes = ['NO_GEOIP_DATABASE', 'FRAMES_REFUSED', 'QR_CODE_HARD_TO_SCAN'] as const;

/** A warning in the answer of a call that makes or changes a link. */
interface LinkWarning {
  /** Dotted path of the field in the link as answers show it: rules in the order of their priorities. */
  path: string;
  code: (typeof linkWarningCodes)[number];
  message: string;
}

/** The parts of an installation that warnings depend on. */
interface LinkWarningContext {
  /** Whether the edges know visitors' countries. */
  hasGeoip: boolean;
}

/** Shown by an installation without a GeoIP database. */
export const noGeoipNote = 'GEOIP_DB is not set: rules by country never match, and statistics know no places';

/** The parts of a link that warnings are about. */
interface WarnedLink {
  rules: readonly { countries: readonly string[] | null }[];
  framesRefused: boolean;
  qrCode: { options: QrOptions; imageId: string | null } | null;
}

/** Lists what has turned out about a link since its last change. */
export function findNews({ framesRefused }: Pick<WarnedLink, 'framesRefused'>): LinkWarning[] {
  if (!framesRefused) return [];
  const message = 'The destination refuses to be shown in a frame: visitors are redirected instead.';
  return [{ path: 'cloaking', code: 'FRAMES_REFUSED', message }];
}

/** Lists all warnings of a link as it is now. */
export function findLinkWarnings(link: WarnedLink, { hasGeoip }: LinkWarningContext): LinkWarning[] {
  const ofRules = (hasGeoip ? [] : link.rules).flatMap(({ countries }, index): LinkWarning[] =>
    countries === null
      ? []
      : [
          {
            path: `rules.${index}.countries`,
            code: 'NO_GEOIP_DATABASE',
            message: 'This rule never matches: this installation has no GeoIP database (GEOIP_DB).',
          },
        ],
  );
  return [...findNews(link), ...ofRules, ...findQrCodeWarnings(link.qrCode)];
}

/** Lists warnings of the field `qrCode` of a link or a domain. */
export function findQrCodeWarnings(qrCode: WarnedLink['qrCode']): (LinkWarning & { code: 'QR_CODE_HARD_TO_SCAN' })[] {
  if (qrCode === null) return [];
  const hasLogo = qrCode.imageId !== null || qrCode.options.image !== undefined;
  return findQrWarnings(qrCode.options, hasLogo).map(({ path, message }) => ({
    path: `qrCode.options.${path}`,
    code: 'QR_CODE_HARD_TO_SCAN',
    message,
  }));
}
