import { rememberTexts } from '#core/lib/text/remember-texts.ts';
import { acceptedLanguages } from '#core/routing/languages.ts';
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

export type Language = keyof typeof texts;

export const languages = Object.keys(texts) as Language[];

const maxHeaderLength = 256;
const maxHeaders = 1_000;
const readLanguage = rememberTexts(maxHeaders, (header): Language => {
  const bases = acceptedLanguages(header).map((range) => range.split('-')[0]!.toLowerCase());
  const base = bases.find((one) => Object.hasOwn(texts, one));
  return (base as Language | undefined) ?? 'en';
});

/** The supported language that an Accept-Language header wants most. */
export function pageLanguage(header = ''): Language {
  return readLanguage(header.slice(0, maxHeaderLength));
}
