import { expect, test } from 'vitest';
import { useOwnTestApi } from '#test/support/api.ts';
import { addDomain } from '#test/support/domains.ts';
import { createLink } from '#test/support/edge-factories.ts';
import { useTestEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';

const edge = useTestEdge();
const api = useOwnTestApi(() => ({ besides: { databaseUrl: edge.databaseUrl, organization: edge.organization } }));

/** A domain of the edge's organization with a link on it, as if visitors had been there all the time. */
async function visited() {
  const { id: organizationId, folderId } = edge.organization;
  const domain = await addDomain(edge.db, { organization: edge.organization });
  const link = await createLink(edge.db, { organizationId, folderId, domainId: domain.id });
  const visit = async () => (await edge.visit(`/${link.slug}`, { host: domain.domain })).status;
  expect(await visit()).toBe(404);
  const seen = (status: number): Promise<number> => eventually(visit, (current) => current === status);
  return { ...domain, visit, seen };
}

// It hears of changes of domains (7.4), within a second: bench row R7.
test('the edge serves a domain once a check has verified it, and stops when checks find it lost', async () => {
  const { look, seen } = await visited();
  await look('right');
  expect(await seen(302)).toBe(302);
  for (let failed = 1; failed <= 3; failed += 1) await look('wrong');
  expect(await seen(404)).toBe(404);
  await look('right');
  expect(await seen(302)).toBe(302);
});

test('the edge stops serving a domain that is made inactive or is deleted', async () => {
  const { id, look, visit, seen } = await visited();
  await look('right');
  await seen(302);
  const patch = (isActive: boolean) => api.call('PATCH', `/domain/${id}`, { isActive });
  expect((await patch(false)).status).toBe(200);
  await seen(404);
  // A check does not bring it back.
  expect(await look('right')).toMatchObject({ isVerified: true });
  expect(await visit()).toBe(404);
  expect((await patch(true)).status).toBe(200);
  await seen(302);
  expect((await api.call('DELETE', `/domain/${id}`)).status).toBe(200);
  await seen(404);
  expect(await look('right')).toEqual({ isGone: true, check: null });
  expect(await visit()).toBe(404);
});
