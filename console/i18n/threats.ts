import type { ThreatType } from '#core/threats/types.ts';
import type { Language } from './language.ts';

const names: Record<Language, Record<ThreatType, string>> = {
  en: {
    MALWARE: 'malware',
    SOCIAL_ENGINEERING: 'phishing',
    UNWANTED_SOFTWARE: 'unwanted software',
    SOCIAL_ENGINEERING_EXTENDED_COVERAGE: 'phishing',
  },
  de: {
    MALWARE: 'Schadsoftware',
    SOCIAL_ENGINEERING: 'Phishing',
    UNWANTED_SOFTWARE: 'unerwünschte Software',
    SOCIAL_ENGINEERING_EXTENDED_COVERAGE: 'Phishing',
  },
};

/** What was found at a destination, in words. */
export function nameThreats(language: Language, types: readonly ThreatType[]): string {
  return [...new Set(types.map((type) => names[language][type]))].join(', ');
}
