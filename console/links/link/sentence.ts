import { setUtm } from '#core/routing/utm.ts';
import type { ThreatPolicy } from '#core/threats/policy.ts';
import type { ShortLink } from '#console/api/types.ts';
import type { Format } from '#console/i18n/format.ts';
import { shownShortUrl } from '#console/links/short-url.ts';
import { stateOf } from '#console/links/state.ts';
import type { useLinkPageWords } from './words.ts';

type Words = ReturnType<typeof useLinkPageWords>;

/** The destination with the campaign values that the link adds. */
function addressOf(link: ShortLink): string {
  const { utmSource, utmMedium, utmCampaign, utmTerm, utmContent, destination } = link;
  if (destination.type !== 'link') return destination.value;
  return setUtm(destination.value, [utmSource, utmMedium, utmCampaign, utmTerm, utmContent]);
}

/** What all visitors get of a link that does not serve; undefined: it serves. */
export function describeUnserved(
  link: ShortLink,
  { unserved }: Pick<Words, 'unserved'>,
  now: Date,
): string | undefined {
  switch (stateOf(link, now)) {
    case 'inactive':
    case 'archived':
    case 'takenDown':
      return unserved.missing;
    case 'expired':
      return link.expiredUrl ?? unserved.expired;
    case 'capped':
      return unserved.capped;
    default:
      return undefined;
  }
}

/** What visitors of a link meet, in sentences. @param policy what visitors of flagged destinations get; undefined: not known yet. */
export function describeLink(link: ShortLink, words: Words, format: Format, now: Date, policy?: ThreatPolicy): string {
  const { sentence } = words;
  const to = shownShortUrl(addressOf(link));
  const state = stateOf(link, now);
  const isServing = state === 'active' || state === 'checking' || state === 'flagged';
  const first = {
    active: () => sentence.active(to),
    checking: () => sentence.checking(to),
    inactive: () => sentence.inactive(),
    takenDown: () => sentence.inactive(),
    archived: () => sentence.archived(),
    expired: () => sentence.expired(format.moment(link.expiresAt!), link.expiredUrl),
    capped: () => sentence.capped(link.maxClicks!),
    flagged: () =>
      [
        sentence.flagged(link.destination.threatTypes ?? []),
        ...(policy === undefined ? [] : [sentence.flaggedGet[policy]]),
      ].join(' '),
  }[state]();
  const rest = [
    link.rules.length > 0 && words.rules(link.rules.length),
    link.hasPassword && words.password,
    link.expiresAt !== null && words.ends(format.moment(link.expiresAt), link.expiredUrl),
    link.maxClicks !== null && words.cap(format.number(link.currentClicks), format.number(link.maxClicks)),
  ].filter((part) => part !== false);
  return [first, ...(isServing ? rest : [])].join(' ');
}
