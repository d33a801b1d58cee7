import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestApi, type TestApi } from '#test/support/api.ts';
import { type DomainStack, startDomainStack, type TestDomain } from '#test/support/domain-stack.ts';
import { createLink } from '#test/support/edge-factories.ts';
import { useTestEdge } from '#test/support/edge.ts';
import { eventually } from '#test/support/eventually.ts';

let stack: DomainStack;
let api: TestApi;
const edge = useTestEdge();
beforeAll(async () => {
  stack = await startDomainStack({ databaseUrl: edge.databaseUrl });
  const { databaseUrl, organization } = edge;
  api = await createTestApi({ besides: { databaseUrl, organization } });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

/** A domain of the edge's organization with a link on it, as if visitors had been there all the time. */
async function visited(): Promise<{ domain: TestDomain; visit: () => Promise<number> }> {
  const { id: organizationId, folderId } = edge.organization;
  const domain = await stack.add({ organization: edge.organization });
  const link = await createLink(edge.db, { organizationId, folderId, domainId: domain.id });
  const visit = async () => (await edge.visit(`/${link.slug}`, { host: domain.domain })).status;
  expect(await visit()).toBe(404);
  return { domain, visit };
}

/** Waits until its workflow has made a domain verified, or not, and visitors see that. @returns what they see. */
async function arrival({ domain, visit }: Awaited<ReturnType<typeof visited>>, isVerified: boolean): Promise<number> {
  await eventually(
    () => stack.row(domain.id),
    (row) => row.isVerified === isVerified,
  );
  return seen(visit, isVerified ? 302 : 404);
}

const seen = (visit: () => Promise<number>, status: number): Promise<number> =>
  eventually(visit, (current) => current === status);

// Within a second: bench row R7.
describe('the edge hears of changes of domains (7.4)', () => {
  test(
    'serves a domain once its workflow has verified it, and stops when the workflow finds it lost',
    { tags: 'slow' },
    async () => {
      const scene = await visited();
      stack.publish(scene.domain);
      expect(await arrival(scene, true)).toBe(302);
      stack.dns.set(`_waymark.${scene.domain.domain}`, undefined);
      expect(await arrival(scene, false)).toBe(404);
      stack.publish(scene.domain);
      expect(await arrival(scene, true)).toBe(302);
    },
  );

  test('stops serving one that is made inactive or is deleted', { tags: 'slow' }, async () => {
    const scene = await visited();
    stack.publish(scene.domain);
    expect(await arrival(scene, true)).toBe(302);
    const patch = (isActive: boolean) => api.call('PATCH', `/domain/${scene.domain.id}`, { isActive });
    expect((await patch(false)).status).toBe(200);
    expect(await seen(scene.visit, 404)).toBe(404);
    // Its workflow goes on, and does not bring it back.
    const { checks } = await stack.status(scene.domain.id);
    await stack.until(scene.domain.id, (status) => status.checks > checks + 1);
    expect(await scene.visit()).toBe(404);
    expect((await patch(true)).status).toBe(200);
    expect(await seen(scene.visit, 302)).toBe(302);
    expect((await api.call('DELETE', `/domain/${scene.domain.id}`)).status).toBe(200);
    expect(await seen(scene.visit, 404)).toBe(404);
    // And ends by itself, whether it was woken or not.
    expect(await stack.handle(scene.domain.id).result()).toMatchObject({ state: 'deleted' });
    expect(await scene.visit()).toBe(404);
  });
});
