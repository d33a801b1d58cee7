import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { requestVerdicts } from '#commands/threats/verdicts.ts';
import { hashOfUrl } from '#core/threats/url-hash.ts';
import type { ScanAnswer } from '#core/threats/answer.ts';
import type { Database, Sql } from '#db/connection/database.ts';
import { lanes } from '#db/outbox.ts';
import { createDomain, createOrganization } from './factories.ts';

/** A link of the tests: ids, and the hash (hex) of its URL. */
export interface ScannedLink {
  id: string;
  destinationId: string;
  organizationId: string;
  url: string;
  urlHash: string;
}

/** An organization with the folder and the domain that links need. */
export interface LinkOwner {
  organizationId: string;
  domainId: string;
  folderId: string;
}

/** Makes an organization with a folder and a domain. */
export async function createLinkOwner(db: Sql): Promise<LinkOwner> {
  const { id: organizationId, folderId } = await createOrganization(db);
  const domain = await createDomain(db, organizationId, { domain: `${uuidv7()}.example` });
  return { organizationId, domainId: domain.id, folderId };
}

/** Makes links to `urls` without asking for verdicts. */
export async function insertLinks(db: Sql, owner: LinkOwner, urls: readonly string[]): Promise<ScannedLink[]> {
  const links = urls.map((url) => ({
    id: uuidv7(),
    destinationId: uuidv7(),
    organizationId: owner.organizationId,
    url,
    hash: hashOfUrl(url),
  }));
  await db.query(
    `insert into short_links (id, organization_id, domain_id, folder_id, slug) select id, $2, $3, $4, slug from unnest($1::uuid[], $5::text[]) as l (id, slug)`,
    [
      links.map((link) => link.id),
      owner.organizationId,
      owner.domainId,
      owner.folderId,
      links.map(() => randomBytes(8).toString('hex')),
    ],
  );
  await db.query(
    `insert into destinations (id, link_id, type, value, url_hash) select id, link_id, 'link', value, hash from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bytea[]) as d (id, link_id, value, hash)`,
    [links.map((link) => link.destinationId), links.map((link) => link.id), urls, links.map((link) => link.hash)],
  );
  return links.map(({ hash, ...link }) => ({ ...link, urlHash: hash.toString('hex') }));
}

/** Makes links to `urls` and asks for their verdicts, in one transaction, as a create does. `answer`: known about each. */
export async function createScannedLinks(
  db: Database,
  owner: LinkOwner,
  urls: readonly string[],
  answer?: ScanAnswer,
): Promise<ScannedLink[]> {
  return db.transaction(async (tx) => {
    const links = await insertLinks(tx, owner, urls);
    await requestVerdicts(
      tx,
      links.map(({ destinationId: id, url }) => ({
        id,
        url,
        organizationId: owner.organizationId,
        lane: lanes.interactive,
        answer,
      })),
    );
    return links;
  });
}
