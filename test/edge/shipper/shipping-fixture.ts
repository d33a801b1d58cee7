import { join } from 'node:path';
import type { Database } from '#db/connection/database.ts';
import { createJournal, type Journal } from '#edge/journal/journal.ts';
import { createShipper, type Shipper } from '#edge/shipper/shipper.ts';
import type { ClickOwner } from '#test/support/clicks.ts';
import { createTestEdge, silentLog, type TestEdge } from '#test/support/edge.ts';
import { site } from '#test/support/site.ts';

/** An edge, and what tests of shipping do in its folder of journals. */
export interface ShippingScene extends AsyncDisposable {
  edge: TestEdge;
  root: string;
  /** Makes a link. @returns whose clicks a test makes. */
  createOwner(): Promise<ClickOwner>;
  /** What its counter says. */
  counted(linkId: string): Promise<number>;
  /** What the database says of a journal. */
  stateOf(journal: Journal): Promise<{ ingested: number; rejected: number; finished: boolean }>;
  /** A shipper and a journal of their own, in the same folder. */
  openShipper(database: Database, segmentBytes?: number): { journal: Journal; shipper: Shipper };
}

/** Starts it on a database of its own. */
export async function createShippingScene(): Promise<ShippingScene> {
  const edge = await createTestEdge();
  const root = join(edge.dataDir, 'journal');
  return {
    edge,
    root,
    createOwner: async () => ({ ...edge, linkId: (await edge.link()).id }),
    async counted(linkId) {
      const text = 'select clicks from link_counters where link_id = $1';
      return (await edge.db.query<{ clicks: number }>(text, [linkId])).rows[0]?.clicks ?? 0;
    },
    async stateOf({ id }) {
      const text = 'select ingested, rejected, finished_at is not null as finished from journals where id = $1';
      return (await edge.db.query<{ ingested: number; rejected: number; finished: boolean }>(text, [id])).rows[0]!;
    },
    openShipper(database, segmentBytes) {
      const journal = createJournal({ root, fsync: false, segmentBytes });
      return { journal, shipper: createShipper({ database, site, journal, root, log: silentLog, now: Date.now }) };
    },
    [Symbol.asyncDispose]: () => edge[Symbol.asyncDispose](),
  };
}
