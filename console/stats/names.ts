import { type Continent, useContinentNames } from '#console/i18n/continents.ts';
import { useFormat } from '#console/i18n/format.ts';
import { groupWithoutValue, type GroupBy } from '#core/stats/stats.ts';
import { useStatsWords } from './words.ts';

/** @returns what names a group of a dimension in the person's language. */
export function useGroupName(): (groupBy: GroupBy, group: string, label?: string) => string {
  const words = useStatsWords();
  const continents = useContinentNames();
  const format = useFormat();
  return (groupBy, group, label) => {
    if (groupBy === 'qrCode') return group === 'qr' ? words.scans : words.clicksOfLinks;
    if (groupBy === 'uniqueVisitors') return group;
    if (group === groupWithoutValue(groupBy)) {
      if (groupBy === 'referer') return words.direct;
      // A click without the parameter was given none.
      return groupBy.startsWith('utm') ? words.none : words.unknown;
    }
    if (groupBy === 'country') return format.country(group);
    if (groupBy === 'lang') return format.language(group);
    if (groupBy === 'continent') return continents[group as Continent] ?? group;
    if (groupBy === 'device') return words.devices[group as keyof typeof words.devices] ?? group;
    if (groupBy === 'shortLinks') return label?.replace(/^https?:\/\//, '') ?? group;
    return group;
  };
}
