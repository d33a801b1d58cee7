import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import pg from 'pg';
import { aborted, reportReady, runToExit, stopSignal } from '#adapters/machine/process.ts';

// What Waymark is measured beside: the same framework with nothing in it. One route answers a constant redirect, with
// DATABASE_URL after an UPDATE that counts it against a cap; another one does a single INSERT for each request.

async function main(): Promise<void> {
  const { PORT: port, DATABASE_URL: databaseUrl } = process.env;
  const app = fastify({ logger: false });
  const pool = databaseUrl === undefined ? undefined : await openPool(databaseUrl);
  if (pool === undefined) {
    app.get('/:slug', (_request, reply) => {
      reply.code(302).header('location', 'https://example.com/').send();
    });
  } else {
    app.get('/:slug', async (_request, reply) => {
      const text = 'update bare_caps set granted = granted + 1 where id = 1 and granted < 1000000000';
      const { rowCount } = await pool.query({ name: 'grant', text });
      return reply
        .code(rowCount === 1 ? 302 : 410)
        .header('location', 'https://example.com/')
        .send();
    });
  }
  app.post<{ Body: { destination: { value: string } } }>('/short-link', async (request, reply) => {
    const link = { id: randomUUID(), url: request.body.destination.value };
    await pool!.query({
      name: 'insert',
      text: 'insert into bare_links (id, slug, url) values ($1, $2, $3)',
      values: [link.id, link.id.slice(-12), link.url],
    });
    return reply.code(201).send(link);
  });
  await app.listen({ host: '127.0.0.1', port: Number(port) });
  reportReady();
  await aborted(stopSignal());
  await app.close();
  await pool?.end();
}

/** As many connections as the API has. */
async function openPool(connectionString: string): Promise<pg.Pool> {
  const pool = new pg.Pool({ connectionString, max: 10 });
  await pool.query(`create table if not exists bare_links (id uuid primary key, slug text not null unique,
    url text not null, created_at timestamptz not null default now());
    create table if not exists bare_caps (id int primary key, granted int not null);
    insert into bare_caps values (1, 0) on conflict do nothing`);
  return pool;
}

await runToExit(main, () => false);
