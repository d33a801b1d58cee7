import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { createDatabase } from '#db/connection/database.ts';
import { isUniqueViolation } from '#db/connection/errors.ts';
import { createEntityManager } from '#db/connection/orm.ts';
import { Folder } from '#db/entities/links/links.ts';
import { createOrganization } from '#test/support/factories.ts';
import { useTestDatabase } from '#test/support/stack.ts';

const db = useTestDatabase();

/** An entity manager of the test's database, an organization, and a folder to be made. */
async function setUp() {
  const em = createEntityManager(db).fork();
  const { id: organizationId } = await createOrganization(db);
  const draft = { name: uuidv7(), color: '#2563EB' };
  const idsOf = async (): Promise<unknown[]> => {
    const { rows } = await db.query('select id from folders where organization_id = $1 and not is_default', [
      organizationId,
    ]);
    return rows.map(({ id }: { id?: unknown }) => id);
  };
  return { em, organizationId, draft, idsOf, now: new Date() };
}

describe('transactional', () => {
  it('writes changed entities before the commit, on the connection of the statements by hand and of Kysely', async () => {
    const { em, organizationId, draft, idsOf, now } = await setUp();
    const id = await em.transactional(async (em) => {
      const folder = em.getRepository(Folder).add(organizationId, draft, now);
      await em.flush();
      const byHand = await em.query('select color from folders where id = $1', [folder.id]);
      const byKysely = await em.kysely.selectFrom('Folder').select('createdAt').where('id', '=', folder.id).execute();
      expect(byHand.rows).toEqual([{ color: '#2563EB' }]);
      expect(byKysely).toEqual([{ createdAt: now }]);
      expect(await idsOf()).toEqual([]);
      folder.change({ color: '#16A34A' }, now);
      return folder.id;
    });
    expect(await idsOf()).toEqual([id]);
    expect(await em.findOne(Folder, { id })).toMatchObject({ color: '#16A34A', createdAt: now });
  });

  it('joins the transaction under way', async () => {
    const { em, organizationId, draft, idsOf, now } = await setUp();
    const failing = em.transactional(async (em) => {
      await em.transactional(async (em) => void em.getRepository(Folder).add(organizationId, draft, now));
      await em.flush();
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await idsOf()).toEqual([]);
  });

  it('runs again with a new entity manager after a deadlock', async () => {
    const { em, organizationId, draft, idsOf, now } = await setUp();
    const seen = new Set<unknown>();
    await em.transactional(async (em) => {
      seen.add(em);
      em.getRepository(Folder).add(organizationId, draft, now);
      await em.flush();
      if (seen.size < 3) throw Object.assign(new Error('deadlock'), { code: '40P01' });
    });
    expect(seen.size).toBe(3);
    expect(await idsOf()).toHaveLength(1);
  });

  it('plans statements as its options say', async () => {
    const { em } = await setUp();
    const show = 'show plan_cache_mode';
    const read = (options?: { plans: 'custom' }) =>
      em.transactional(async (em) => (await em.query(show)).rows, options);
    expect(await read()).toEqual([{ plan_cache_mode: 'force_generic_plan' }]);
    expect(await read({ plans: 'custom' })).toEqual([{ plan_cache_mode: 'force_custom_plan' }]);
  });

  it('tells a unique index that refuses a flush by its name', async () => {
    const { em, organizationId, draft, now } = await setUp();
    const add = () => em.transactional(async (em) => void em.getRepository(Folder).add(organizationId, draft, now));
    await add();
    const refused: unknown = await add().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(UniqueConstraintViolationException);
    expect(isUniqueViolation(refused, 'folders_name_key')).toBe(true);
  });
});

describe('flush', () => {
  it('refuses changes outside of a transaction', async () => {
    const { em, organizationId, idsOf } = await setUp();
    const folder = await em.findOneOrFail(Folder, { organization: organizationId });
    folder.color = '#16A34A';
    await expect(em.flush()).rejects.toThrow('only within em.transactional');
    expect(await idsOf()).toEqual([]);
  });

  it('does nothing outside of a transaction where nothing has changed', async () => {
    const { em, organizationId } = await setUp();
    await em.findOneOrFail(Folder, { organization: organizationId });
    await expect(em.flush()).resolves.toBeUndefined();
  });
});

describe('filters', () => {
  it('leave deleted rows out unless a query asks for them', async () => {
    const { em, organizationId, draft, now } = await setUp();
    const { id } = await em.transactional(async (em) => em.getRepository(Folder).add(organizationId, draft, now));
    await em.transactional(async (em) => {
      const folder = await em.findOneOrFail(Folder, { id });
      folder.deletedAt = now;
    });
    expect(await em.fork().findOne(Folder, { id })).toBeNull();
    expect(await em.fork().findOne(Folder, { id }, { filters: { live: false } })).toMatchObject({ id });
  });

  it('keep one organization apart from another', async () => {
    const { em, organizationId } = await setUp();
    const { id: otherId } = await createOrganization(db);
    const own = await em.find(Folder, {}, { filters: { tenant: { organizationId } } });
    expect(own.map(({ organization }) => organization.id)).toEqual([organizationId]);
    expect(await em.find(Folder, { organization: otherId }, { filters: { tenant: { organizationId } } })).toEqual([]);
  });
});

it('counts errors of Kysely outside of transactions as errors of the database', async () => {
  const other = createDatabase({ url: db.url, statementTimeoutMs: 20 });
  const sleeping = createEntityManager(other)
    .fork()
    .kysely.selectNoFrom(sql`pg_sleep(5)`.as('slept'))
    .execute();
  await expect(sleeping).rejects.toThrow('timeout');
  expect(other.errors.counts.timeout).toBe(1);
  await other.close();
});

it('a connection whose statement by Kysely was given up is not used again', async () => {
  const other = createDatabase({ url: db.url, poolMax: 1, queryTimeoutMs: 100 });
  const em = createEntityManager(other);
  const pid = async (): Promise<number> => {
    const { rows } = await em.query<{ pid: number }>('select pg_backend_pid() as pid');
    return rows[0]!.pid;
  };
  const before = await pid();
  const sleeping = em
    .fork()
    .kysely.selectNoFrom(sql`pg_sleep(20)`.as('slept'))
    .execute();
  await expect(sleeping).rejects.toThrow('Query read timeout');
  expect(await pid()).not.toBe(before);
  await other.close();
});
