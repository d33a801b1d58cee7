import { urlHash } from '../../commands/verdicts.ts';
import { AppError } from '../../core/errors.ts';
import type { LinkPatch } from '../../core/link-patch.ts';
import { readLinks } from '../../db/link-view.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { presentLink } from './presenter.ts';
import type { ShortLink } from './schema.ts';

type Leading = Pick<LinkPatch, 'destination' | 'rules'>;

/** How routes that change links come to their answers. */
export interface LinkAnswers {
  /**
   * Runs a command that commits; then wakes the relay where scans are due, and waits a moment for their verdicts.
   * @param drafts all that the command may make links lead to: verdicts are listened for from before its commit.
   * @param awaitedOf URL hashes (hex) of the scans under way, from what the command returned.
   */
  commit<T>(
    drafts: readonly Leading[],
    command: () => Promise<T>,
    awaitedOf: (result: T) => readonly string[],
  ): Promise<T>;
  /** A link as it is now. @throws AppError NOT_FOUND when somebody has deleted it meanwhile. */
  read(id: string): Promise<ShortLink>;
  /** Links as they are now, by id. */
  readMany(ids: readonly string[]): Promise<Map<string, ShortLink>>;
}

/** Puts together what is needed to answer for links. */
export function createLinkAnswers({
  db,
  site,
  verdicts,
  wakeRelay,
  threatScanWaitMs,
}: Pick<ApiDependencies, 'db' | 'site' | 'verdicts' | 'wakeRelay' | 'threatScanWaitMs'>): LinkAnswers {
  async function readMany(ids: readonly string[]): Promise<Map<string, ShortLink>> {
    if (ids.length === 0) return new Map();
    return new Map((await readLinks(db, ids)).map((link) => [link.id, presentLink(link, site)]));
  }

  return {
    readMany,
    async commit(drafts, command, awaitedOf) {
      using waiting = verdicts.open(drafts.flatMap(hashesOf));
      const result = await command();
      const awaited = awaitedOf(result);
      if (awaited.length > 0) {
        wakeRelay();
        await waiting.wait(awaited, threatScanWaitMs);
      }
      return result;
    },
    async read(id) {
      const link = (await readMany([id])).get(id);
      if (link === undefined) throw new AppError('NOT_FOUND', 'This short link does not exist.');
      return link;
    },
  };
}

function hashesOf({ destination, rules }: Leading): string[] {
  return [destination, ...(rules ?? []).map((rule) => rule.destination)].flatMap((leadsTo) =>
    leadsTo?.type === 'link' ? urlHash(leadsTo.value).toString('hex') : [],
  );
}
