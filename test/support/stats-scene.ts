import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Answer, createTestApi, type TestApi } from './api.ts';
import { createLink } from './edge-factories.ts';
import { createDomain, createOrganization, type TestOrganization } from './factories.ts';
import { ingestClicks, type TestClick, testClick } from './stats.ts';

/** An API whose clock stands still, and before each test a new organization with two domains of one link each. */
export interface StatsScene {
  api: TestApi;
  organization: TestOrganization;
  domains: { id: string; domain: string }[];
  links: { id: string; slug: string }[];
  /** Makes clicks of the first link, a millisecond ago; the given fields override this. */
  clicks(...given: Partial<TestClick>[]): Promise<TestClick[]>;
  overview(query: string): Promise<Answer>;
  timeline(query?: string): Promise<Answer>;
  list(query?: string): Promise<Answer>;
}

/** The time at which all tests of statistics take place. */
export const now = new Date('2024-04-02T12:34:56.789Z');

/** Sets the scene for a file of tests; it may be used inside of them only. */
export function useStatsScene(): StatsScene {
  const scene = {
    async clicks(...given) {
      const made = given.map((one) =>
        testClick({
          organizationId: scene.organization.id,
          linkId: scene.links[0]!.id,
          domainId: scene.domains[0]!.id,
          folderId: scene.organization.folderId,
          clickedAtMs: now.getTime() - 1,
          ...one,
        }),
      );
      await ingestClicks(scene.api.db, made);
      return made;
    },
    overview: (query) => scene.api.call('GET', `/stats/overview?${query}`),
    timeline: (query = '') => scene.api.call('GET', `/stats/clicks-over-time?${query}`),
    list: (query = '') => scene.api.call('GET', `/stats/clicks?${query}`),
  } as StatsScene;

  beforeAll(async () => {
    scene.api = await createTestApi({ clock: () => now });
  });
  afterAll(() => scene.api[Symbol.asyncDispose]());
  beforeEach(async () => {
    const { db } = scene.api;
    const organization = await createOrganization(db);
    const { id: organizationId, folderId } = organization;
    const domains = [await createDomain(db, organizationId), await createDomain(db, organizationId)];
    scene.links = [];
    for (const { id: domainId } of domains)
      scene.links.push(await createLink(db, { organizationId, domainId, folderId }));
    Object.assign(scene, { organization, domains });
    scene.api.organization = organization;
  });
  return scene;
}

/** The status of an answer with the fields that it names as wrong. */
export function paths({ status, body }: Answer): unknown {
  return [status, body.issues.map(({ path }: { path: string }) => path)];
}
