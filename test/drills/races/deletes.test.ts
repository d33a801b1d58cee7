// @module-tag process
// @module-tag nightly

import { describe, expect, it } from 'vitest';
import { createDomain, createFile, createOrganization } from '#test/support/factories.ts';
import { expectWhole, type RaceAnswer, useRaces, times, unlike } from './race-fixture.ts';

// What is deleted while fifty others put it to use, on two processes of the API over one database.

const races = useRaces();

const rounds = 3;
const leadsTo = { destination: { type: 'link', value: 'https://example.com/' } };

async function organize() {
  const organization = await createOrganization(races.db);
  await races.warm(organization);
  const call = (method: string, path: string, body?: unknown) => races.call(organization, method, path, body);
  return { organization, call };
}

async function createLinks(call: Caller, count: number, body: object = {}): Promise<string[]> {
  const { body: made } = await call('POST', '/short-link/bulk', {
    links: times(count).map(() => ({ ...leadsTo, ...body })),
  });
  return made.results.map(({ data }: { data: { id: string } }) => data.id);
}
type Caller = (method: string, path: string, body?: unknown) => Promise<RaceAnswer>;

/** Runs calls of which one is to come in the middle of the others. */
function around<T>(others: readonly (() => Promise<T>)[], middle: () => Promise<T>): Promise<T[]> {
  const half = Math.floor(others.length / 3);
  return Promise.all([...others.slice(0, half), middle, ...others.slice(half)].map((begin) => begin()));
}

describe('a folder', () => {
  it('a folder that is deleted while links move into it and out of it keeps none', async () => {
    const { organization, call } = await organize();
    for (const round of times(rounds)) {
      const { id: folderId } = (await call('POST', '/folder', { name: `f${round}` })).body;
      const [inside, outside] = [await createLinks(call, 12, { folderId }), await createLinks(call, 12)];
      const answers = await around(
        times(12).flatMap((index) => [
          () => call('PATCH', `/short-link/${outside[index]}`, { folderId, tags: [`new ${round}.${index % 3}`] }),
          () => call('PATCH', `/short-link/${inside[index]}`, { folderId: organization.folderId }),
          () => call('POST', '/short-link', { ...leadsTo, folderId }),
          () =>
            call('PATCH', '/short-link/bulk', {
              links: inside
                .toReversed()
                .slice(index % 4, (index % 4) + 4)
                .map((id) => ({ id, title: `t${index}` })),
            }),
        ]),
        () => call('DELETE', `/folder/${folderId}`),
      );
      expect(unlike(answers, 200, 201, 404)).toEqual(new Map());
    }
    await expectWhole(races, organization);
    await races.expectCalm();
  });
});

describe('a domain', () => {
  it('a domain that is deleted while links are made on it keeps none, and the primary role passes on', async () => {
    const { organization, call } = await organize();
    await createDomain(races.db, organization.id, { isPrimary: true });
    for (const round of times(rounds)) {
      await createDomain(races.db, organization.id);
      const { body: all } = await call('GET', '/domain/list');
      const { id: domainId } = all.data.find(({ isPrimary }: { isPrimary: boolean }) => isPrimary);
      const answers = await around(
        times(15).flatMap((index) => [
          () => call('POST', '/short-link', { ...leadsTo, domainId, tags: [`r${round}.${index % 4}`] }),
          () => call('POST', '/short-link', leadsTo),
          () => call('POST', '/short-link/bulk', { links: times(4).map(() => ({ ...leadsTo, domainId })) }),
          () => call('PATCH', `/domain/${domainId}`, { isPrimary: true, isActive: index % 2 === 0 }),
        ]),
        () => call('DELETE', `/domain/${domainId}`),
      );
      expect(unlike(answers, 200, 201, 404)).toEqual(new Map());
      const rows = answers.flatMap(({ body }) => body.results ?? []);
      expect(unlike(rows, 201, 404)).toEqual(new Map());
      expect(await expectWhole(races, organization)).toMatchObject({ domains: 1, primaryDomains: 1 });
    }
    await races.expectCalm();
  });

  it('two domains deleted at the same moment take every link with them that moves between them', async () => {
    const { organization, call } = await organize();
    for (const round of times(rounds)) {
      const [one, other] = [
        await createDomain(races.db, organization.id),
        await createDomain(races.db, organization.id),
      ];
      const links = [
        ...(await createLinks(call, 12, { domainId: one.id })),
        ...(await createLinks(call, 12, { domainId: other.id })),
      ];
      const moves = links.map(
        (id, index) => () =>
          call('PATCH', `/short-link/${id}`, {
            domainId: (index < 12 ? other : one).id,
            tags: [`round ${round}.${index % 5}`],
          }),
      );
      const halfway = moves.length / 2;
      const answers = await Promise.all([
        ...moves.slice(0, halfway).map((move) => move()),
        call('DELETE', `/domain/${one.id}`),
        call('DELETE', `/domain/${other.id}`),
        ...moves.slice(halfway).map((move) => move()),
      ]);
      expect(unlike(answers, 200, 404)).toEqual(new Map());
      expect(await expectWhole(races, organization)).toMatchObject({ domains: 0, links: 0 });
    }
    await races.expectCalm();
  });

  it('one domain is primary while many are made primary, added and deleted at once', async () => {
    const { organization, call } = await organize();
    for (const round of times(rounds)) {
      const domains = await Promise.all(times(6).map(() => createDomain(races.db, organization.id)));
      const answers = await Promise.all(
        domains.flatMap(({ id }, index) => [
          ...times(4).map(() => call('PATCH', `/domain/${id}`, { isPrimary: true })),
          call('POST', '/domain', { domain: `added${round}-${index}.example` }),
          ...(index % 2 === 0 ? [call('DELETE', `/domain/${id}`)] : []),
        ]),
      );
      expect(unlike(answers, 200, 201, 404)).toEqual(new Map());
      expect(await expectWhole(races, organization)).toMatchObject({ primaryDomains: 1 });
    }
    await races.expectCalm();
  });
});

describe('a tag', () => {
  it('a tag that is deleted while it is attached is on no link, nor found by its id', async () => {
    const { organization, call } = await organize();
    for (const round of times(rounds)) {
      const { body: tag } = await call('POST', '/tag', { name: `t${round}` });
      const links = await createLinks(call, 15);
      const answers = await around(
        links.flatMap((id, index) => [
          () => call('PATCH', `/short-link/${id}`, { tags: [tag.name, `beside ${index % 3}`] }),
          () => call('POST', '/short-link', { ...leadsTo, tags: [tag.name] }),
          () =>
            call('PATCH', '/short-link/bulk', {
              links: links
                .toReversed()
                .slice(index % 5, (index % 5) + 5)
                .map((link) => ({ id: link, tags: [`beside ${index % 3}`, tag.name] })),
            }),
        ]),
        () => call('DELETE', `/tag/${tag.id}`),
      );
      expect(unlike(answers, 200, 201)).toEqual(new Map());
      expect(
        unlike(
          answers.flatMap(({ body }) => body.results ?? []),
          200,
        ),
      ).toEqual(new Map());
      expect((await call('GET', `/short-link/list?tagIds=${tag.id}`)).body).toMatchObject({ count: 0 });
    }
    await expectWhole(races, organization);
    await races.expectCalm();
  });
});

describe('a picture', () => {
  it('a picture is either deleted or becomes the logo of QR codes', async () => {
    const { organization, call } = await organize();
    const { id: domainId } = await createDomain(races.db, organization.id);
    for (const turn of times(rounds * 4)) {
      const imageId = await createFile(races.db, organization.id, 'qr-code');
      const qrCode = { options: { margin: turn }, imageId };
      const [id] = await createLinks(call, 1);
      const uses = [
        () => call('PATCH', `/short-link/${id}`, { qrCode }),
        () => call('POST', '/short-link', { ...leadsTo, qrCode }),
        () => call('PATCH', `/domain/${domainId}`, { qrCode }),
      ];
      const [deleted, ...used] = await Promise.all([
        call('DELETE', `/files/${imageId}`),
        ...uses.slice(turn % 3, (turn % 3) + 1).map((use) => use()),
      ]);
      expect(unlike([deleted], 200, 400)).toEqual(new Map());
      expect(unlike(used, 200, 201, 400)).toEqual(new Map());
      const wasUsed = used.some(({ status }) => status < 300);
      expect({ status: deleted.status, wasUsed }).toEqual({ status: wasUsed ? 400 : 200, wasUsed });
    }
    await expectWhole(races, organization);
    await races.expectCalm();
  });
});
