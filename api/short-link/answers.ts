import { type CreatedLink, createdView } from '#commands/links/create/created-view.ts';
import { joinVerdicts, type Verdicts } from '#commands/threats/verdicts.ts';
import { hexHashOfUrl } from '#core/threats/url-hash.ts';
import { type LinkTargets, webAddressesOfDestination, webAddressesOfLink } from '#core/links/destination.ts';
import type { Actor } from '#core/audit/actor.ts';
import { AppError } from '#core/errors/errors.ts';
import { findLinkWarnings, findNews } from '#core/links/warnings/link-warnings.ts';
import { inSlices } from '#core/lib/slices.ts';
import { type DestinationView, type LinkView, readLinks } from '#db/links/view.ts';
import type { ApiDependencies } from '#api/dependencies.ts';
import { presentLink } from './presenter.ts';
import type { ChangedLink, ShortLink } from './schema.ts';

/** A link to be shown; without `created` it is read. */
interface LinkToShow {
  id: string;
  created?: CreatedLink | null;
}

// Links that are presented between two looks at other calls: one with a hundred rules takes a millisecond.
const shownAtOnce = 2;

/** Answers of the routes that change links. */
export function createLinkAnswers(deps: ApiDependencies) {
  const { db, site, verdictWaiter, findLocalAnswers, threatScanWaitMs, hasGeoip } = deps;

  function present(view: LinkView, warnings = findLinkWarnings(view, { hasGeoip })): ChangedLink {
    const link = presentLink(view, site);
    return warnings.length === 0 ? link : { ...link, warnings };
  }

  /** Links by id, with warnings and with the given verdicts. Deleted ones are left out. */
  async function showMany(
    links: readonly LinkToShow[],
    known: Verdicts = new Map(),
  ): Promise<Map<string, ChangedLink>> {
    const shown = new Map<string, ChangedLink>();
    const unread: string[] = [];
    for await (const { id, created } of inSlices(links, shownAtOnce)) {
      if (created) shown.set(id, present(createdView(created, known)));
      else unread.push(id);
    }
    const read = unread.length === 0 ? [] : await readLinks(db, unread);
    for await (const link of inSlices(read, shownAtOnce)) shown.set(link.id, present(withVerdicts(link, known)));
    return shown;
  }

  return {
    /** A link that was read, with warnings of what has turned out since its last change. */
    showRead: (link: LinkView): ShortLink => present(link, findNews(link)),
    showMany,
    /**
     * Finds the answers that are known about web addresses, and begins to listen for the verdicts of the others, from before the
     * commit that requests them, until it is disposed of.
     * @param drafts every destination that the command may give to links.
     * @param isWaited whether the call waits for verdicts at all.
     */
    async listen(
      { organizationId }: Actor,
      drafts: readonly LinkTargets[],
      { isBulk = false, isWaited = true }: { isBulk?: boolean; isWaited?: boolean } = {},
    ) {
      const doesWait = isWaited && threatScanWaitMs > 0;
      const urls = drafts.flatMap((draft) => webAddressesOfLink(draft));
      const localAnswers = await findLocalAnswers(organizationId, urls);
      const unknown = doesWait ? urls.filter((url) => !localAnswers.has(url)) : [];
      const listener = verdictWaiter.listen(unknown.map((url) => hexHashOfUrl(url)));
      return {
        /** For the command. */
        localAnswers,
        /** Waits for running scans, at most `threatScanWaitMs`. @returns `known` with the verdicts that arrived in time. */
        async awaitVerdicts(known: Verdicts): Promise<Verdicts> {
          const awaited = [...known].filter(([, { fresh }]) => !fresh).map(([hash]) => hash);
          if (!doesWait || awaited.length === 0) return known;
          const found = await listener.wait(awaited, threatScanWaitMs, { organizationId, isBulk });
          const arrived = [...found].filter(([, threatTypes]) => threatTypes !== null);
          return new Map([
            ...known,
            ...arrived.map(([hash, threatTypes]) => [hash, { threatTypes, fresh: true }] as const),
          ]);
        },
        [Symbol.dispose]: (): void => listener[Symbol.dispose](),
      };
    },
    /** The same as `showMany` for one. @throws AppError NOT_FOUND when it has been deleted meanwhile. */
    async show(link: LinkToShow, known?: Verdicts): Promise<ChangedLink> {
      const shown = (await showMany([link], known)).get(link.id);
      if (shown === undefined) throw new AppError('NOT_FOUND', 'This short link does not exist.');
      return shown;
    },
  };
}

/** A link that was read, with verdicts of the call: the database may keep another one until a scan has decided. */
function withVerdicts(link: LinkView, known: Verdicts): LinkView {
  if (known.size === 0) return link;
  const show = (destination: DestinationView): DestinationView => {
    const verdicts = webAddressesOfDestination(destination).map((url) => known.get(hexHashOfUrl(url)));
    const fresh = verdicts.flatMap((verdict) => (verdict?.fresh ? [verdict.threatTypes] : []));
    const isKnown = verdicts.length > 0 && fresh.length === verdicts.length;
    return isKnown ? { ...destination, threatTypes: joinVerdicts(fresh) } : destination;
  };
  return {
    ...link,
    destination: show(link.destination),
    rules: link.rules.map((rule) => ({ ...rule, destination: show(rule.destination) })),
  };
}
