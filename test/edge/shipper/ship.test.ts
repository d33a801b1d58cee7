import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { PoolClient } from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { ingest, OffsetMovedError, readOffset } from '#db/clicks/ingest.ts';
import { createPartitions } from '#db/clicks/partitions.ts';
import { endOfFiles, segmentPath } from '#edge/journal/segments.ts';
import { createShip, type Ship, type Shipment } from '#edge/shipper/ship.ts';
import { clickLine, type ClickOwner } from '#test/support/clicks.ts';
import { createLink, deleteLink } from '#test/support/edge-factories.ts';
import { createDomain, createOrganization } from '#test/support/factories.ts';
import { makeFolder } from '#test/support/folders.ts';
import { useTestDatabase } from '#test/support/stack.ts';
import { site } from '#test/support/site.ts';
import { isNight } from '#test/support/night.ts';

const root = makeFolder();
let owner: ClickOwner;
let deleted: ClickOwner;

const db = useTestDatabase();
beforeAll(async () => {
  const organization = await createOrganization(db);
  const domain = await createDomain(db, organization.id);
  const newLink = () =>
    createLink(db, { organizationId: organization.id, domainId: domain.id, folderId: organization.folderId });
  owner = { organization, domain, linkId: (await newLink()).id };
  deleted = { ...owner, linkId: (await newLink()).id };
  await deleteLink(db, deleted.linkId);
});

type Kind = 'click' | 'deleted' | 'bad' | 'broken';

/** A line of each kind; a bad line has the form of a click, and only the database refuses it. */
function lineOf(kind: Kind): string {
  if (kind === 'broken') return 'broken\n';
  if (kind === 'bad') return clickLine(owner, { organization_id: 'x' });
  return clickLine(kind === 'click' ? owner : deleted);
}

interface Scene extends AsyncDisposable {
  shipment: Shipment;
  rejectedLines(): string[];
  client: PoolClient;
  /** Ships until nothing is left. */
  shipAll(chunkBytes: number): Promise<void>;
}

function openShip(chunkBytes?: number): Ship {
  return createShip({
    ingest,
    site,
    partitions: createPartitions(db, () => undefined),
    onDeadLetters: () => undefined,
    now: Date.now,
    ...(chunkBytes !== undefined && { chunkBytes }),
  });
}

async function createScene(segments: readonly string[]): Promise<Scene> {
  const journalId = randomUUID();
  const directory = join(root, journalId);
  mkdirSync(directory);
  for (const [index, text] of segments.entries()) writeFileSync(segmentPath(directory, index + 1), text);
  const client = await db.pool.connect();
  const shipment = { journalId, directory, offset: await readOffset(client, journalId) };
  return {
    shipment,
    client,
    rejectedLines: () =>
      readdirSync(directory)
        .filter((name) => name.endsWith('.rejected'))
        .toSorted()
        .flatMap((name) => readFileSync(join(directory, name), 'utf8').split(/(?<=\n)/)),
    async shipAll(chunkBytes) {
      const ship = openShip(chunkBytes);
      const end = await endOfFiles(directory);
      while (await ship(client, shipment, end));
    },
    async [Symbol.asyncDispose]() {
      client.release(true);
    },
  };
}

const totalOf = async (journalId: string) =>
  (await db.query('select ingested, dropped, rejected from journals where id = $1', [journalId])).rows[0];
const idsOf = async () =>
  (await db.query<{ id: string }>('select id from clicks where link_id = $1', [owner.linkId])).rows.map(({ id }) => id);
const idOf = (line: string) => line.slice(0, 36);

test(
  'any lines in any segments, by chunks of any size, arrive once and in order of their journal',
  { tags: ['slow', 'nightly'] },
  async () => {
    const kinds = fc.array(
      fc.oneof(
        { weight: 20, arbitrary: fc.constant<Kind>('click') },
        fc.constantFrom<Kind>('deleted', 'bad', 'broken'),
      ),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(kinds, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 400, max: 6_000 }),
        async (scene, chunkBytes) => {
          const known = new Set(await idsOf());
          const segments = scene.map((segment) => segment.map((kind) => ({ kind, line: lineOf(kind) })));
          // Each segment but the last ends in a line that was never finished.
          const texts = segments.map((lines, index) => {
            const torn = index < segments.length - 1 ? clickLine(owner).slice(0, 50) : '';
            return lines.map(({ line }) => line).join('') + torn;
          });
          await using shipping = await createScene(texts);
          await shipping.shipAll(chunkBytes);
          const lines = segments.flat();
          const of = (...wanted: Kind[]) => lines.filter(({ kind }) => wanted.includes(kind)).map(({ line }) => line);
          expect((await idsOf()).filter((id) => !known.has(id)).toSorted()).toEqual(of('click').map(idOf).toSorted());
          expect(shipping.rejectedLines()).toEqual(of('bad', 'broken'));
          expect(await totalOf(shipping.shipment.journalId)).toEqual({
            ingested: of('click').length,
            dropped: of('deleted').length,
            rejected: of('bad', 'broken').length,
          });
        },
      ),
      { numRuns: isNight ? 40 : 10 },
    );
  },
);

test('batches under way when the connection broke are shipped once', async () => {
  const lines = Array.from({ length: 400 }, () => lineOf('click'));
  const known = new Set(await idsOf());
  await using broken = await createScene([lines.join('')]);
  // Its server process ends in the middle: with the first statement of the third chunk that it ships.
  const { client: target } = broken;
  const query = target.query.bind(target) as (...parameters: unknown[]) => unknown;
  let begun = 0;
  Object.assign(target, {
    query: (...parameters: unknown[]) => {
      if (String(parameters[0]).startsWith('begin') && (begun += 1) === 3) {
        const { processID } = target as unknown as { processID: number };
        return db.query('select pg_terminate_backend($1)', [processID]).then(() => query(...parameters));
      }
      return query(...parameters);
    },
  });
  await expect(broken.shipAll(4_000)).rejects.toThrow(/terminat|connection/i);
  const { journalId, directory } = broken.shipment;
  const client = await db.pool.connect();
  const offset = await readOffset(client, journalId);
  expect(offset.position).toBe(broken.shipment.offset.position);
  expect(offset.position).toBeGreaterThan(0);
  const shipment = { journalId, directory, offset };
  while (await openShip()(client, shipment, await endOfFiles(directory)));
  client.release();
  expect((await idsOf()).filter((id) => !known.has(id)).toSorted()).toEqual(lines.map(idOf).toSorted());
});

test('several processes that ship one journal at the same time ship it once', async () => {
  const known = new Set(await idsOf());
  const segments = [1, 2, 3].map(() => Array.from({ length: 80 }, () => lineOf('click')));
  await using first = await createScene(segments.map((lines) => lines.join('')));
  const { journalId, directory } = first.shipment;
  const end = await endOfFiles(directory);
  async function shipAll(): Promise<void> {
    const client = await db.pool.connect();
    const ship = openShip(3_000);
    for (let isLeft = true; isLeft;) {
      const shipment = { journalId, directory, offset: await readOffset(client, journalId) };
      isLeft = await ship(client, shipment, end).catch((error: unknown) => {
        if (!(error instanceof OffsetMovedError)) throw error;
        return true;
      });
    }
    client.release();
  }
  await Promise.all([shipAll(), shipAll(), shipAll()]);
  expect((await idsOf()).filter((id) => !known.has(id)).toSorted()).toEqual(segments.flat().map(idOf).toSorted());
  expect(await totalOf(journalId)).toEqual({ ingested: 240, dropped: 0, rejected: 0 });
});
