import { decodePercent } from '#core/lib/text/decode-percent.ts';

/** A short URL as people read it: without its scheme, letters of all scripts as they are. */
export function shownShortUrl(shortUrl: string): string {
  return decodePercent(shortUrl.replace(/^https?:\/\//, ''));
}

/** The host of a destination; the destination itself where it has none, such as mailto:. */
export function hostOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url === undefined || url.host === '' ? address : url.host;
}
