import type { ThreatPolicy } from '#core/threats/policy.ts';
import type { ShortLink } from '#console/api/types.ts';
import type { SavedFacts } from './compile-form.ts';

/** What the preview needs of a saved link beside its draft. */
export function factsOf(
  { hasPassword, isArchived, takenDown, currentClicks, destination, rules }: ShortLink,
  threatPolicy: ThreatPolicy | undefined,
): SavedFacts {
  const destinations = [destination, ...rules.map((rule) => rule.destination)];
  return {
    hasPassword,
    isArchived,
    isTakenDown: takenDown !== null,
    currentClicks,
    threatPolicy,
    threatTypes: new Map(destinations.map(({ value, threatTypes }) => [value, threatTypes])),
  };
}
