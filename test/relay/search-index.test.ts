import { expect, test } from 'vitest';
import { emOf } from '#test/support/entity-managers.ts';
import { createSearchIndexUpkeep } from '#relay/search-index.ts';
import { createLinkOwner, insertLinks } from '#test/support/durable.ts';
import { eventually } from '#test/support/eventually.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();

async function addLinks(): Promise<void> {
  await insertLinks(db, await createLinkOwner(db), ['https://one.example/', 'https://two.example/']);
}

/** Empties the pending list of the search index. @returns how many pages it had. */
async function emptiedPages(): Promise<number> {
  const { rows } = await db.query<{ pages: number }>(
    `select gin_clean_pending_list('short_links_search_idx')::int as pages`,
  );
  return rows[0]!.pages;
}

test(
  'the upkeep empties the pending list of the search index, also after a turn that failed',
  { tags: 'slow' },
  async () => {
    await addLinks();
    expect(await emptiedPages()).toBeGreaterThan(0);

    const errors: string[] = [];
    let [turns, fails] = [0, true];
    const em = {
      get kysely() {
        if (fails) throw new Error('the database is away');
        turns += 1;
        return emOf(db).kysely;
      },
    };
    const upkeep = createSearchIndexUpkeep({ em, onError: (error) => errors.push(error.message) });
    try {
      await eventually(() => errors.length > 0);
      await addLinks();
      fails = false;
      await eventually(() => turns > 0);
    } finally {
      await upkeep.stop();
    }
    expect(errors[0]).toBe('the database is away');
    expect(await emptiedPages()).toBe(0);
  },
);
