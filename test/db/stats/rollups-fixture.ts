import { beforeEach } from 'vitest';
import type { Database } from '#db/connection/database.ts';
import { createLink } from '#test/support/edge-factories.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { purgeLinks, type TestClick, testClick } from '#test/support/stats.ts';

/** Milliseconds of a day. */
export const day = 86_400_000;
/** Where clicks of the tests begin (Unix, milliseconds): a Monday's midnight. */
export const startMs = Date.UTC(2024, 4, 6);

/** A database, and an organization for each test, whose clicks are counted. */
export interface RollupsScene {
  db: Database;
  organization: { id: string; links: [string, string] };
  /** Clicks of its first link, spread over the first day; every third is from DE, the others from US. */
  clicksOf(count: number, change?: (index: number) => Partial<TestClick>): TestClick[];
  /** Removes the clicks of a deleted link. @returns how many. */
  purge(linkId: string): Promise<number>;
  /** Removes clicks behind the back of the rollups, which shows what is read from these. */
  loseClicks(): Promise<unknown>;
}

/** Registers the set-up with the calling test file. */
export function useRollupsScene(): RollupsScene {
  const db = useTestDatabase();
  const organization = {} as RollupsScene['organization'];
  let place: { organizationId: string; domainId: string; folderId: string };
  beforeEach(async () => {
    const { id, folderId } = await createOrganization(db);
    place = { organizationId: id, domainId: (await createDomain(db, id)).id, folderId };
    const links = [(await createLink(db, place)).id, (await createLink(db, place)).id];
    Object.assign(organization, { id, links });
  });
  return {
    db,
    organization,
    clicksOf: (count, change = () => ({})) =>
      Array.from({ length: count }, (_, index) =>
        testClick({
          ...place,
          linkId: organization.links[0],
          clickedAtMs: startMs + (index * day) / count,
          country: index % 3 === 0 ? 'DE' : 'US',
          ...change(index),
        }),
      ),
    purge: (linkId) => purgeLinks(db, organization.id, [linkId]),
    loseClicks: () => db.query('delete from clicks where organization_id = $1', [organization.id]),
  };
}
