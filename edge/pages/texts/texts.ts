import { copyText } from '#core/lib/text/copy-text.ts';
import { LRUCache } from 'lru-cache';
import type { ReportReason } from '#core/links/report.ts';
import type { ThreatType } from '#core/threats/types.ts';
import { de } from './de.ts';
import { en } from './en.ts';

/** Pages that say one thing. */
export type PageName =
  | 'bare'
  | 'customBare'
  | 'reported'
  | 'badRequest'
  | 'notFound'
  | 'methodNotAllowed'
  | 'timeout'
  | 'blocked'
  | 'tooManyMisses'
  | 'tooManyReports'
  | 'headersTooLarge'
  | 'failed'
  | 'unavailable';

/** The texts of all pages in one language, as plain text. */
export type Texts = Readonly<Record<PageName, { readonly title: string; readonly text: string }>> & {
  /** The day of a moment (Unix time in milliseconds), by UTC: a visitor's time zone is unknown. */
  date(ms: number): string;
  /** A whole number. */
  count(value: number): string;
  readonly expired: { readonly title: string; text(date: string): string };
  /** `written` is the number as it is shown. */
  readonly capped: { readonly title: string; text(visits: number, written: string): string };
  readonly tooManyTries: { readonly title: string; text(minutes: number): string };
  /** `threats` say what was found, by type. */
  readonly warning: Readonly<Record<'title' | 'leadsTo' | 'advice', string>> & {
    readonly threats: Readonly<Record<ThreatType, string>>;
    button(host: string): string;
  };
  readonly password: Readonly<
    Record<'title' | 'text' | 'label' | 'show' | 'showLabel' | 'button' | 'wrong' | 'wrongTitle', string>
  >;
  readonly deepLink: Readonly<Record<'title' | 'text' | 'app' | 'web' | 'hint', string>>;
  readonly report: Readonly<Record<'link' | 'title' | 'text' | 'why' | 'comment' | 'button', string>> & {
    readonly reasons: Readonly<Record<ReportReason, string>>;
  };
  readonly preview: Readonly<Record<'link', string>>;
};

/** The languages of the pages, by ISO 639-1 code; the first is the default. Another one is a file beside `de.ts` and an entry here. */
export const texts = { en, de } as const satisfies Record<string, Texts>;

/** A language that pages are written in. */
export type Language = keyof typeof texts;

/** Codes of all languages. */
export const languages = Object.keys(texts) as Language[];

const maxHeaderLength = 256;
const maxHeaders = 1_000;
const known = new LRUCache<string, Language>({ max: maxHeaders });

/** The supported language of highest quality in an Accept-Language header. */
export function pageLanguage(header = ''): Language {
  const key = header.length > maxHeaderLength ? header.slice(0, maxHeaderLength) : header;
  let language = known.get(key);
  if (language === undefined) known.set(copyText(key), (language = readLanguage(key)));
  return language;
}

function readLanguage(header: string): Language {
  let best: Language = 'en';
  let bestQuality = 0;
  for (const item of header.split(',')) {
    const match = /^\s*([a-z]{2})(?:-[a-z0-9-]+)?\s*(?:;\s*q\s*=\s*([0-9.]+)\s*)?$/i.exec(item);
    const code = match?.[1]?.toLowerCase();
    const language = languages.find((name) => name === code);
    const quality = match?.[2] === undefined ? 1 : Number(match[2]);
    if (language !== undefined && quality > bestQuality && quality <= 1) {
      best = language;
      bestQuality = quality;
    }
  }
  return best;
}
