import { type MadeLink, withVerdicts } from '#commands/links/created-view.ts';
import { urlHash } from '#commands/threats/verdicts.ts';
import { webAddressesOfDestination } from '#core/links/destination.ts';
import { AppError } from '#core/errors/errors.ts';
import type { LinkPatch } from '#core/links/patch.ts';
import { findLinkWarnings } from '#core/links/warnings.ts';
import type { ThreatType } from '#core/threats/types.ts';
import { readLinks } from '#db/links/view.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import type { ScanCaller } from '#api/verdict-waiter.ts';
import { presentLink } from './presenter.ts';
import type { ChangedLink, ShortLink } from './schema.ts';

type Leading = Pick<LinkPatch, 'destination' | 'rules'>;

/** What a command came to, and the verdicts that came in time, by hexadecimal URL hash. */
export interface Committed<T> {
  result: T;
  verdicts: ReadonlyMap<string, ThreatType[] | null>;
}

/** How routes that change links come to their answers. */
export interface LinkAnswers {
  /**
   * Runs a command that commits; then wakes the relay where scans are due, and waits a moment for their verdicts.
   * @param drafts all that the command may make links lead to: verdicts are listened for from before its commit.
   * @param caller who waits for them.
   * @param awaitedOf URL hashes (hex) of the scans under way, from what the command returned.
   */
  commit<T>(
    drafts: readonly Leading[],
    command: () => Promise<T>,
    awaitedOf: (result: T) => readonly string[],
    caller: ScanCaller,
  ): Promise<Committed<T>>;
  /** Links by id, with what is worth a warning: as they were made, with the verdicts that came since, or else as they are now. Deleted ones are left out. */
  showMany(links: readonly Shown[], verdicts?: Committed<unknown>['verdicts']): Promise<Map<string, ChangedLink>>;
  /** The same for one. @throws AppError NOT_FOUND when somebody has deleted it meanwhile. */
  show(link: Shown, verdicts?: Committed<unknown>['verdicts']): Promise<ChangedLink>;
}

/** A link to be shown; without `link` it is read. */
interface Shown {
  id: string;
  link?: MadeLink | null;
}

const noVerdicts: Committed<unknown>['verdicts'] = new Map();

/** Puts together what is needed to answer for links. */
export function createLinkAnswers({
  db,
  site,
  verdicts,
  wakeRelay,
  threatScanWaitMs,
  hasGeoip,
}: Pick<ApiDependencies, 'db' | 'site' | 'verdicts' | 'wakeRelay' | 'threatScanWaitMs' | 'hasGeoip'>): LinkAnswers {
  function withWarnings(link: ShortLink): ChangedLink {
    const warnings = findLinkWarnings(link, { hasGeoip });
    return warnings.length === 0 ? link : { ...link, warnings };
  }

  async function showMany(links: readonly Shown[], found = noVerdicts): Promise<Map<string, ChangedLink>> {
    const shown = new Map<string, ChangedLink>();
    const unread: string[] = [];
    for (const { id, link } of links) {
      if (link) shown.set(id, withWarnings(presentLink(withVerdicts(link, found), site)));
      else unread.push(id);
    }
    const read = unread.length === 0 ? [] : await readLinks(db, unread);
    for (const link of read) shown.set(link.id, withWarnings(presentLink(link, site)));
    return shown;
  }

  return {
    showMany,
    async commit(drafts, command, awaitedOf, caller) {
      const doesWait = threatScanWaitMs > 0;
      using waiting = verdicts.open(doesWait ? drafts.flatMap(hashesOf) : []);
      const result = await command();
      const awaited = awaitedOf(result);
      if (awaited.length === 0) return { result, verdicts: noVerdicts };
      wakeRelay();
      return { result, verdicts: doesWait ? await waiting.wait(awaited, threatScanWaitMs, caller) : noVerdicts };
    },
    async show(link, found) {
      const shown = (await showMany([link], found)).get(link.id);
      if (shown === undefined) throw new AppError('NOT_FOUND', 'This short link does not exist.');
      return shown;
    },
  };
}

function hashesOf({ destination, rules }: Leading): string[] {
  return [destination, ...(rules ?? []).map((rule) => rule.destination)].flatMap((leadsTo) =>
    leadsTo === undefined ? [] : webAddressesOfDestination(leadsTo).map((url) => urlHash(url).toString('hex')),
  );
}
