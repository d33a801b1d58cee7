import type { Click } from '#console/api/stats.ts';
import { useGroupName } from './names.ts';
import { useStatsWords } from './words.ts';

/** @returns what tells of a click in words: Berlin, iOS, from news.example. */
export function useClickWords(): (click: Click) => string {
  const words = useStatsWords();
  const nameOf = useGroupName();
  return ({ city, country, os, device, referer, isQrCode }) => {
    const place = city ?? (country === null ? '' : nameOf('country', country));
    const source = isQrCode ? words.scans : referer === null ? '' : words.fromSource(referer);
    return words.click(place, os ?? nameOf('device', device), source);
  };
}
