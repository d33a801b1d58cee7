import type { CompiledDomain, CompiledLink } from '#core/routing/compiled/compiled-link.ts';
import { explain, type Explanation, type ImaginedVisitor, toVisitor } from '#core/routing/explain.ts';

/** What a visit depends on beside the link. */
interface Circumstances {
  visitor: ImaginedVisitor;
  nowMs: number;
  /** Whether the visitor has typed the password. */
  isAdmitted: boolean;
  currentClicks: number;
}

/** Visitors to try at a click. */
export const presets = {
  iphone: person('DE', 'de-DE', 'ios'),
  windows: person('BR', 'pt-BR', 'windows'),
  mac: person('US', 'en-US', 'macos'),
  android: person('IN', 'hi-IN', 'android'),
  qrCode: { ...person('FR', 'fr-FR', 'android'), scansQrCode: true },
  whatsApp: { ...person('US', null, 'other'), kind: 'previewer' },
  crawler: { ...person('US', null, 'other'), kind: 'bot' },
} as const satisfies Record<string, ImaginedVisitor>;

export type PresetName = keyof typeof presets;

export const presetNames = Object.keys(presets) as readonly PresetName[];

// The API does not tell the fallback of a domain with its name: the words of the answers name it.
const domain: CompiledDomain = {
  id: '',
  organizationId: null,
  domain: '',
  fallbackLocation: null,
  appleAppSiteAssociation: null,
  androidAssetLinks: null,
};

/** Decides an imagined visit of a link by the edge's own function, and tells how it came about. */
export function simulate(
  link: CompiledLink,
  { visitor, nowMs, isAdmitted, currentClicks }: Circumstances,
): Explanation {
  const isSpent = link.maxClicks !== null && currentClicks >= link.maxClicks;
  return explain({
    domain,
    link,
    visitor: toVisitor({ ...visitor, query: visitor.query.replace(/^\?/, '') }),
    nowMs,
    isAdmitted,
    cap: isSpent ? 'spent' : 'granted',
  });
}

function person(
  country: string,
  language: string | null,
  osType: ImaginedVisitor['osType'],
): ImaginedVisitor & { kind: 'person' } {
  return { kind: 'person', country, language, osType, scansQrCode: false, query: '' };
}
