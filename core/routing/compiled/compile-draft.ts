import { type DestinationDraft, webAddressesOfDestination } from '#core/links/destination.ts';
import type { LinkDraft } from '#core/links/draft.ts';
import { initialPlain } from '#core/links/fields.ts';
import type { ThreatPolicy } from '#core/threats/policy.ts';
import type { ThreatType } from '#core/threats/types.ts';
import { compileDestination, compileMetaTags, compileThreatPolicy, compileUtm } from './compile.ts';
import type { CompiledDestination, CompiledLink } from './compiled-link.ts';
import { compileLanguages } from '#core/routing/languages.ts';
import { toLocation } from '#core/routing/location.ts';

/** What a draft does not say about its link. */
interface DraftContext {
  /** Whether the link has a password, which stays where the draft names none. */
  hasPassword?: boolean;
  /** The organization's; `warn` by default. */
  threatPolicy?: ThreatPolicy;
  /** The known threats of a web address; by default none has any. */
  threatTypesOf?(url: string): readonly ThreatType[];
  /** Whether the page at a web address refuses to be shown in a frame; by default none does. */
  refusesFrames?(url: string): boolean;
}

/**
 * Compiles a draft as its stored link would be, so that `decide` can be asked before the draft is saved. Ids that only a stored
 * link has are empty, `passwordHash` too where there is a password, and the key of a preview's image is the file's id.
 */
export function compileDraft(draft: LinkDraft, context: DraftContext = {}): CompiledLink {
  const { hasPassword = false, threatPolicy = 'warn', threatTypesOf = () => [], refusesFrames = () => false } = context;
  const plain = initialPlain(draft);
  const { utmSource, utmMedium, utmCampaign, utmTerm, utmContent, expiredUrl } = plain;
  const utm = compileUtm([utmSource, utmMedium, utmCampaign, utmTerm, utmContent]);

  function findThreats(url: string): readonly ThreatType[] {
    return threatPolicy === 'pass' ? [] : threatTypesOf(url);
  }

  function compile(destination: DestinationDraft): CompiledDestination {
    return compileDestination(destination, utm, {
      threatTypes: [...new Set(webAddressesOfDestination(destination).flatMap(findThreats))],
      refusesFrames: destination.type === 'link' && refusesFrames(destination.value),
    });
  }

  const destination = compile(draft.destination);
  // As they are evaluated: by priority, rules of equal priority in the order given.
  const inOrder = (draft.rules ?? []).toSorted((one, other) => one.priority - other.priority);
  const rules = inOrder.map((rule) => ({
    countries: rule.countries ?? null,
    languages: compileLanguages(rule.languages ?? null),
    osTypes: rule.osTypes ?? null,
    destination: compile(rule.destination),
  }));
  const isFlagged = [destination, ...rules.map((rule) => rule.destination)].some(
    ({ threatTypes }) => threatTypes.length > 0,
  );
  const { title = null, description = null, imageId = null } = draft.metaTags ?? {};
  return {
    id: '',
    organizationId: '',
    domainId: '',
    folderId: '',
    tagIds: [],
    isActive: plain.isActive && !plain.isArchived,
    isTakenDown: false,
    honoursGpc: false,
    expiresAtMs: plain.expiresAt?.getTime() ?? null,
    expiredLocation: expiredUrl === null || findThreats(expiredUrl).length > 0 ? null : toLocation(expiredUrl),
    maxClicks: plain.maxClicks,
    passwordHash: (draft.password === undefined ? hasPassword : draft.password !== null) ? '' : null,
    threatPolicy: compileThreatPolicy(threatPolicy, isFlagged),
    cloaking: plain.cloaking,
    forwardQuery: plain.forwardQuery,
    utm,
    metaTags: compileMetaTags({ title, description, imageKey: imageId, imageSize: null }),
    destination,
    rules,
  };
}
