import { expect, test } from 'vitest';
import { AppError } from '#core/errors/errors.ts';
import { createLinks } from '#commands/links/create/create.ts';
import { createLinkSchema } from '#core/links/draft.ts';
import { emOf } from '#test/support/entity-managers.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { site } from '#test/support/test-worker.ts';

const db = useTestDatabase();

test('links of several statements get their results in order, taken slugs in any of them included', async () => {
  const { id: organizationId, botId: userId } = await createOrganization(db);
  const { id: domainId } = await createDomain(db, organizationId);
  const actor = { organizationId, userId, plan: 'premium' as const, permissions: {} };
  const requestOf = (slug: string | undefined, index: number) => ({
    actor,
    draft: createLinkSchema.parse({
      domainId,
      ...(slug && { slug }),
      destination: { type: 'link', value: `https://example.com/${index}` },
    }),
  });
  const create = (slugs: readonly (string | undefined)[]) =>
    emOf(db).transactional((em) => createLinks(em, slugs.map(requestOf), { site, now: new Date() }));
  const isTaken = (index: number): boolean => [0, 124, 125, 249, 250, 399].includes(index);
  const slugs = Array.from({ length: 400 }, (_, index) => (index % 7 === 3 ? undefined : `part-${index}`));
  await create(slugs.filter((_, index) => isTaken(index)));

  const results = await create(slugs);
  expect(results.flatMap((result, index) => (result instanceof AppError ? index : []))).toEqual([
    0, 124, 125, 249, 250, 399,
  ]);
  const { rows } = await db.query<{ id: string; slug: string; value: string }>(
    `select l.id, l.slug, d.value from short_links l join destinations d on d.link_id = l.id
     where l.organization_id = $1`,
    [organizationId],
  );
  expect(rows).toHaveLength(400);
  const links = new Map(rows.map((row) => [row.id, row]));
  for (const [index, result] of results.entries()) {
    if (result instanceof AppError) continue;
    const link = links.get(result.id);
    expect(link?.value).toBe(`https://example.com/${index}`);
    if (slugs[index] !== undefined) expect(link?.slug).toBe(slugs[index]);
  }
});
