import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { createCreateQueue, type CreateQueueOptions, canShareTransaction } from '#api/short-link/create-queue.ts';
import type { Actor } from '#core/audit/actor.ts';
import { createLinkSchema } from '#core/links/draft.ts';
import { testSite, useTestApi } from '#test/support/api.ts';
import { createOrganization } from '#test/support/factories.ts';

let actor: Actor;
let other: Actor;
const api = useTestApi();
beforeAll(async () => {
  const actorOf = ({ id, botId }: { id: string; botId: string }): Actor => ({
    organizationId: id,
    userId: botId,
    plan: 'premium',
    permissions: {},
  });
  actor = actorOf(api.organization);
  other = actorOf(await createOrganization(api.db));
});

const draft = (slug: string, more: object = {}) =>
  createLinkSchema.parse({ slug, destination: { type: 'link', value: `https://example.com/${slug}` }, ...more });

/** A queue that tells how many transactions it took; `before` and `after` (its commit) may fail one. */
function createQueue({
  before = () => {},
  after = () => {},
  ...options
}: { before?: (transaction: number) => void | Promise<void>; after?: () => void } & Partial<CreateQueueOptions> = {}) {
  const taken = { transactions: 0 };
  const transactional: CreateQueueOptions['em']['transactional'] = async (work, transactionOptions) => {
    const result = await api.em.transactional(async (em) => {
      taken.transactions += 1;
      await before(taken.transactions);
      return work(em);
    }, transactionOptions);
    after();
    return result;
  };
  const queue = createCreateQueue({ em: { transactional }, site: testSite, clock: () => new Date(), ...options });
  const create = (slug: string, more: object = {}, who = actor) => queue({ actor: who, draft: draft(slug, more) });
  return { create, taken };
}

async function countLinks(prefix: string): Promise<number> {
  const { rows } = await api.db.query<{ count: number }>(
    'select count(*) as count from short_links where slug like $1',
    [`${prefix}%`],
  );
  return rows[0]!.count;
}

describe('createCreateQueue', () => {
  it('links requested in one turn are made in one transaction, and each caller gets its own', async () => {
    const { create, taken } = createQueue();
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, index) => create(`tick-${index}`, {}, index % 2 === 0 ? actor : other)),
    );
    expect(taken.transactions).toBe(1);
    for (const [index, result] of results.entries()) {
      const { organizationId } = index % 2 === 0 ? actor : other;
      expect(result).toMatchObject({ created: { insert: { slug: `tick-${index}`, organizationId } } });
    }
    const { rows } = await api.db.query(
      `select l.slug from short_links l join folders f on f.id = l.folder_id and f.organization_id = l.organization_id
       join events e on e.link_id = l.id and e.organization_id = l.organization_id where l.slug like 'tick-%'`,
    );
    expect(rows).toHaveLength(40);
  });

  it('a link that comes alone begins without waiting for others', async () => {
    const { create, taken } = createQueue();
    await create('alone-1');
    await create('alone-2');
    expect(taken.transactions).toBe(2);
  });

  it('links that come while two transactions are under way share the next', async () => {
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const { create, taken } = createQueue({
      before: (transaction) => (transaction <= 2 ? isOver : undefined),
    });
    const waves: Promise<unknown>[] = [];
    for (let wave = 0; wave < 6; wave += 1) {
      waves.push(create(`wave-${wave}`));
      await new Promise((resolve) => setImmediate(resolve));
    }
    end();
    await Promise.all(waves);
    expect(await countLinks('wave-')).toBe(6);
    expect(taken.transactions).toBe(3);
  });

  it('a link that comes while one transaction is under way is made beside it', async () => {
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    const { promise: isUnderWay, resolve: begin } = Promise.withResolvers<void>();
    const { create } = createQueue({
      before(transaction) {
        if (transaction > 1) return undefined;
        begin();
        return isOver;
      },
    });
    const slow = create('slow-1');
    await isUnderWay;
    await create('slow-2');
    end();
    await slow;
    expect(await countLinks('slow-')).toBe(2);
  });

  it('each draft fails by itself', async () => {
    const { create, taken } = createQueue();
    const results = await Promise.allSettled([
      create('each-1'),
      create('each-1'),
      create('each-2', { folderId: uuidv7() }),
      create('each-3', { folderId: api.organization.folderId }, other),
      create('each-4'),
    ]);
    expect(taken.transactions).toBe(1);
    expect(results.map((result) => (result.status === 'fulfilled' ? 'made' : result.reason.code))).toEqual([
      'made',
      'ALREADY_EXIST',
      'NOT_FOUND',
      'FORBIDDEN',
      'made',
    ]);
  });

  it('a shared transaction that fails before its commit is repeated link by link, so that one fails alone', async () => {
    const { create, taken } = createQueue({
      before(number) {
        // The first statement, of all three links, and one of the following statements.
        if (number === 1 || number === 3) throw new Error('the database is in a bad mood');
      },
    });
    const results = await Promise.allSettled(['a', 'b', 'c'].map((name) => create(`retry-${name}`)));
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(taken.transactions).toBe(4);
    expect(await countLinks('retry-')).toBe(2);
  });

  it('a connection that breaks at the commit makes nothing twice', async () => {
    const { create, taken } = createQueue({
      after() {
        throw new Error('Connection terminated unexpectedly');
      },
    });
    const results = await Promise.allSettled(['a', 'b'].map((name) => create(`commit-${name}`)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(taken.transactions).toBe(1);
    expect(await countLinks('commit-')).toBe(2);
  });

  it('a link that waits for a lock delays no other link for long', async () => {
    const { create } = createQueue();
    const holder = await api.db.pool.connect();
    try {
      await holder.query('begin');
      await holder.query('select 1 from folders where id = $1 for update', [api.organization.folderId]);
      const held = create('lock-held');
      await Promise.all([create('lock-1', {}, other), create('lock-2', {}, other)]);
      expect(await countLinks('lock-')).toBe(2);
      await holder.query('commit');
      await held;
    } finally {
      holder.release();
    }
  });

  it('a link that would wait behind too many is refused with 503', async () => {
    const { create } = createQueue({ maxWaiting: 3 });
    const results = await Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => create(`full-${name}`)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    expect(results[3]).toMatchObject({ reason: { status: 503 } });
  });
});

describe('canShareTransaction', () => {
  it('links that take long or lock their organization share no transaction', () => {
    expect(canShareTransaction({ actor, draft: draft('a') })).toBe(true);
    expect(canShareTransaction({ actor, draft: draft('a', { tags: [] }) })).toBe(true);
    expect(canShareTransaction({ actor, draft: draft('a', { tags: ['new'] }) })).toBe(false);
    expect(canShareTransaction({ actor, draft: draft('a', { password: 'secret' }) })).toBe(false);
    expect(canShareTransaction({ actor: { ...actor, plan: 'free' }, draft: draft('a') })).toBe(false);
  });
});

describe('POST /short-link, many at once', () => {
  it('answers what GET answers', async () => {
    const bodies = [
      { destination: { type: 'mail', value: 'someone@example.com' }, metaTags: { title: 'T' }, maxClicks: 3 },
      { destination: { type: 'phone', value: '+49 30 1234567' }, expiresAt: '2999-01-02T03:04:05.678+02:00' },
      {
        destination: { type: 'link', value: 'https://example.com/?a=ä', enableDeepLinking: true, iosDeepLink: 'app:x' },
        title: 'Title',
        externalId: 'external',
        cloaking: true,
        utmSource: 's',
        expiredUrl: 'https://example.com/gone',
        qrCode: { options: { width: 300, dotsOptions: { color: '#123456' } } },
        rules: [
          { priority: 2, languages: ['de'], destination: { type: 'link', value: 'https://example.de/' } },
          { priority: 1, osTypes: ['ios'], destination: { type: 'phone', value: '+4930' } },
        ],
      },
    ];
    const answers = await Promise.all(bodies.map((body) => api.call('POST', '/short-link', body)));
    for (const { status, body } of answers) {
      expect(status).toBe(201);
      expect((await api.call('GET', `/short-link/${body.id}`)).body).toEqual(body);
    }
  });
});
