import { join } from 'node:path';
import { beforeEach } from 'vitest';
import type { Database } from '#db/connection/database.ts';
import { createJournal, type Journal } from '#edge/journal/journal.ts';
import { createShipper, type Shipper } from '#edge/shipper/shipper.ts';
import type { ClickOwner } from '#test/support/clicks.ts';
import { silentLog, type TestEdge, useTestEdge } from '#test/support/edge.ts';
import { site } from '#test/support/site.ts';

/** An edge, and what tests of shipping do in its folder of journals. */
export interface ShippingScene {
  edge: TestEdge;
  /** Whose clicks a test makes; each test has a link of its own. */
  owner: ClickOwner;
  /** The folder of the edge's journals. */
  root(): string;
  /** What a link's counter says. */
  counted(linkId: string): Promise<number>;
  /** A shipper and a journal of their own, by default in the same folder. */
  openShipper(database: Database, segmentBytes?: number, folder?: string): { journal: Journal; shipper: Shipper };
}

/** Registers the set-up and the tear-down with the calling test file. */
export function useShippingScene(): ShippingScene {
  const edge = useTestEdge();
  const owner = {} as ClickOwner;
  beforeEach(async () => void Object.assign(owner, edge, { linkId: (await edge.link()).id }));
  const root = (): string => join(edge.dataDir, 'journal');
  return {
    edge,
    owner,
    root,
    async counted(linkId) {
      const text = 'select clicks from link_counters where link_id = $1';
      return (await edge.db.query<{ clicks: number }>(text, [linkId])).rows[0]?.clicks ?? 0;
    },
    openShipper(database, segmentBytes, folder = root()) {
      const journal = createJournal({ root: folder, fsync: false, segmentBytes });
      const options = { database, site, journal, root: folder, log: silentLog, now: Date.now };
      return { journal, shipper: createShipper(options) };
    },
  };
}
