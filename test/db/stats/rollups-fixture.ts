import { createDatabase, type Database } from '#db/connection/database.ts';
import { createLink } from '#test/support/edge-factories.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { createTestDatabase } from '#test/support/stack.ts';
import { purgeLinks, type TestClick, testClick } from '#test/support/stats.ts';

/** Milliseconds of a day. */
export const day = 86_400_000;
/** Where clicks of the tests begin (Unix, milliseconds): a Monday's midnight. */
export const startMs = Date.UTC(2024, 4, 6);

/** A database for tests of counts. */
export interface RollupsScene extends AsyncDisposable {
  db: Database;
  /** Makes an organization with two links. */
  createOwner(): Promise<RollupsOwner>;
}

/** An organization whose clicks are counted. */
export interface RollupsOwner {
  id: string;
  links: string[];
  /** Clicks of its first link, spread over the first day; every third is from DE, the others from US. */
  clicksOf(count: number, change?: (index: number) => Partial<TestClick>): TestClick[];
  /** Removes the clicks of a deleted link. @returns how many. */
  purge(linkId: string): Promise<number>;
  /** Removes clicks behind the back of the rollups, which shows what is read from these. */
  loseClicks(): Promise<unknown>;
}

/** Makes the database. */
export async function createRollupsScene(): Promise<RollupsScene> {
  const database = await createTestDatabase();
  const db = createDatabase({ url: database.url });
  return {
    db,
    async createOwner() {
      const { id, folderId } = await createOrganization(db);
      const domainId = (await createDomain(db, id)).id;
      const place = { organizationId: id, domainId, folderId };
      const links = [(await createLink(db, place)).id, (await createLink(db, place)).id];
      return {
        id,
        links,
        clicksOf: (count, change = () => ({})) =>
          Array.from({ length: count }, (_, index) =>
            testClick({
              ...place,
              linkId: links[0]!,
              clickedAtMs: startMs + (index * day) / count,
              country: index % 3 === 0 ? 'DE' : 'US',
              ...change(index),
            }),
          ),
        purge: (linkId) => purgeLinks(db, id, [linkId]),
        loseClicks: () => db.query('delete from clicks where organization_id = $1', [id]),
      };
    },
    async [Symbol.asyncDispose]() {
      await db.close();
      await database[Symbol.asyncDispose]();
    },
  };
}
