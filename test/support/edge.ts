import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, type Database } from '#db/connection/database.ts';
import { createEdge, type Edge, type EdgeOptions } from '#edge/server.ts';
import { createDomain, createOrganization, type TestOrganization } from './factories.ts';
import { createLink, type TestLink } from './edge-factories.ts';
import { type Late, readLate, useFixture } from './fixture.ts';
import { createTestDatabase, edgeUrlOf, patientMs } from './stack.ts';
import { insertWorker } from './workers.ts';
import { site } from './site.ts';

/** A user agent that is a person's. */
export const browser =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';

/** Changes of a visit against the default one. */
export interface VisitOptions {
  host?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** An answer of the edge. */
export interface EdgeAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** An edge over a database of its own. */
export interface TestEdge extends AsyncDisposable {
  edge: Edge;
  /** `http://127.0.0.1:…` */
  address: string;
  /** Folder of its journals. */
  dataDir: string;
  /** The database, over connections apart from the edge's own. */
  db: Database;
  databaseUrl: string;
  organization: TestOrganization;
  /** A verified domain of the organization; visits go there unless they name a host. */
  domain: { id: string; domain: string };
  link(link?: Partial<TestLink>): Promise<{ id: string; slug: string }>;
  visit(path: string, options?: VisitOptions): Promise<EdgeAnswer>;
  clicks(linkId?: string): Promise<Record<string, unknown>[]>;
}

/** Proxies for the edge's own connections. */
export interface TestEdgeOptions extends Partial<EdgeOptions> {
  /** Makes another way to the database for the edge, and for its listener. */
  way?(databaseUrl: string): Promise<{ pool: string; listener: string }>;
}

/** A log that says nothing. */
export const silentLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** Starts an edge on a free port. */
export async function createTestEdge(options: TestEdgeOptions = {}): Promise<TestEdge> {
  const database = await createTestDatabase();
  const db = createDatabase({ url: database.url, connectTimeoutMs: patientMs });
  const organization = await createOrganization(db);
  const domain = await createDomain(db, organization.id);
  await insertWorker(db);
  const dataDir = mkdtempSync(join(tmpdir(), 'waymark-edge-'));
  // The edge connects with the rights of an edge, as in production.
  const edgeUrl = edgeUrlOf(database.url);
  const way = (await options.way?.(edgeUrl)) ?? { pool: edgeUrl, listener: edgeUrl };
  const edgeDatabase = createDatabase({ url: way.pool, applicationName: 'waymark edge' });
  const edge = createEdge({
    database: edgeDatabase,
    databaseUrl: way.listener,
    dataDir,
    secretKeys: ['a secret of the tests, long enough'],
    trustedProxies: [],
    fsync: false,
    isHttps: false,
    fileUrl: (key) => `https://files.example/files/${key}`,
    securityContacts: ['mailto:security@waymark.example'],
    notFoundPerMinute: 1_000_000,
    site,
    log: silentLog,
    shipDeadlineMs: 2_000,
    // On a busy machine a look-up takes longer than visitors may wait; tests of that bound set their own.
    lookupTimeoutMs: patientMs,
    ...options,
  });
  const address = await edge.listen({ host: '127.0.0.1', port: 0 });
  return {
    edge,
    address,
    dataDir,
    db,
    databaseUrl: database.url,
    organization,
    domain,
    link: (link = {}) =>
      createLink(db, {
        organizationId: organization.id,
        domainId: domain.id,
        folderId: organization.folderId,
        ...link,
      }),
    visit: (path, visit = {}) => visitEdge(address, path, { host: domain.domain, ...visit }),
    async clicks(linkId) {
      const where = linkId === undefined ? '' : 'where link_id = $1';
      // Those of one millisecond as they were written.
      const { rows } = await db.query(
        `select * from clicks ${where} order by clicked_at, ctid`,
        linkId === undefined ? [] : [linkId],
      );
      return rows;
    },
    async [Symbol.asyncDispose]() {
      await edge.close();
      await edgeDatabase.close();
      await db.close();
      await database[Symbol.asyncDispose]();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts an edge for the tests of a file. */
export function useTestEdge(options: Late<TestEdgeOptions> = {}): TestEdge {
  return useFixture(async () => createTestEdge(await readLate(options)));
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 });

/** Asks an edge for a path, exactly as it is written. */
export function visitEdge(
  address: string,
  path: string,
  { host, method = 'GET', headers = {}, body }: VisitOptions = {},
): Promise<EdgeAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address);
    const outgoing = request(
      {
        agent,
        hostname,
        port,
        path,
        method,
        headers: { 'user-agent': browser, ...(host === undefined ? {} : { host }), ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
