import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ConnectedApp, OauthRecord } from '#db/entities/accounts/connected-apps.ts';

export interface NewOauthRecord {
  kind: string;
  idHash: string;
  appId: string | null;
  /** Pseudonym of the network that it comes from; undefined: the record is there already, or belongs to an app. */
  network?: string | undefined;
  payloadSealed: Buffer;
  createdAt: Date;
  expiresAt: Date;
}

const keptPerApp = 20;
// A used refresh token is kept as long as it would last, to notice a second use: one every ten minutes, for 30 days.
const keptRefreshTokens = 5_000;

// Calls that an app makes at once find together that its access token has ended, and each renews it by the same refresh token.
const renewalSeconds = 30;

const tokenlessAppDays = 1;

/** A client that registered itself is removed after this time, unless a person lets it in. */
export const unusedClientSeconds = 3_600;

/** The hash by which a record is found. */
export const hashRecordId = (id: string): string => hash('sha256', id, 'base64url');

/**
 * Stores a record, in place of an earlier one with its id. Of an app, the newest records of a kind are kept. Where `most` records of the
 * kind belong to no app, one of the network that has the most is deleted, which expires first: a new request is never refused, and a flood
 * from some networks takes no place of another.
 */
export async function storeRecord(em: EntityManager, record: NewOauthRecord, most: number): Promise<void> {
  const { appId, kind, network = null, ...rest } = record;
  if (network !== null) await makeRoom(em, record, most);
  const { payloadSealed, expiresAt } = rest;
  await em.kysely
    .insertInto('OauthRecord')
    .values({ kind, ...rest, app: appId, network, consumedAt: null })
    .onConflict((conflict) =>
      conflict.columns(['kind', 'idHash']).doUpdateSet({ payloadSealed, expiresAt, app: appId }),
    )
    .execute();
  if (appId === null) return;
  const kept = em.kysely
    .selectFrom('OauthRecord')
    .select('idHash')
    .where('kind', '=', kind)
    .where('app', '=', appId)
    .orderBy('createdAt', 'desc')
    .limit(kind === 'RefreshToken' ? keptRefreshTokens : keptPerApp);
  await em.kysely
    .deleteFrom('OauthRecord')
    .where('kind', '=', kind)
    .where('app', '=', appId)
    .where('idHash', 'not in', kept)
    .execute();
}

async function makeRoom(em: EntityManager, { kind, network, expiresAt }: NewOauthRecord, most: number): Promise<void> {
  const waiting = em.kysely
    .selectFrom('OauthRecord')
    .where('kind', '=', kind)
    .where('app', 'is', null)
    // Clients that were let in last longer: they take no place.
    .where('expiresAt', '<=', expiresAt);
  const { count } = await waiting.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow();
  if (count < most) return;
  const widest = waiting
    .select('network')
    .groupBy('network')
    // With the new one.
    .orderBy(
      ({ fn, case: when }) => sql`${fn.countAll()} + ${when().when('network', '=', network!).then(1).else(0).end()}`,
      'desc',
    )
    .orderBy(({ fn }) => fn.min('expiresAt'))
    .limit(1);
  const first = waiting.select('idHash').where('network', 'is not distinct from', widest).orderBy('expiresAt').limit(1);
  await em.kysely.deleteFrom('OauthRecord').where('kind', '=', kind).where('idHash', 'in', first).execute();
}

/** Finds a record whose time is not over. `consumedAt` is null too while a refresh token that was used may be used again. */
export function findRecord(em: EntityManager, kind: string, idHash: string) {
  return em.kysely
    .selectFrom('OauthRecord')
    .select([
      'payloadSealed',
      ({ case: when }) =>
        when().when(isUsable(kind)).then(null).else(sql.ref<Date>('consumedAt')).end().as('consumedAt'),
    ])
    .where('kind', '=', kind)
    .where('idHash', '=', idHash)
    .where('expiresAt', '>', sql<Date>`now()`)
    .executeTakeFirst();
}

/** Marks a record as used. @returns whether it could be: of two uses at once of what is used once, one wins. */
export async function consumeRecord(em: EntityManager, kind: string, idHash: string): Promise<boolean> {
  const { numUpdatedRows } = await em.kysely
    .updateTable('OauthRecord')
    .set({ consumedAt: sql<Date>`coalesce(consumed_at, now())` })
    .where('kind', '=', kind)
    .where('idHash', '=', idHash)
    .where(isUsable(kind))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Whether a record was not used, or is a refresh token that was used just now. */
function isUsable(kind: string) {
  const again = kind === 'RefreshToken' ? renewalSeconds : 0;
  return sql<boolean>`(consumed_at is null or consumed_at > now() - make_interval(secs => ${again}))`;
}

/** Keeps a record, such as a client that was let in, at least until then. */
export async function extendRecord(em: EntityManager, kind: string, idHash: string, until: Date): Promise<void> {
  const earlier = { kind, idHash, expiresAt: { $lt: until } };
  await em.nativeUpdate(OauthRecord, earlier, { expiresAt: until, network: null });
}

/**
 * Removes records and apps whose time is over, and apps that have no token after a day: they never got one, or their last one has ended.
 * A client whose last app has ended gets an hour, as one that no person has let in yet.
 */
export async function forgetEndedApps(em: EntityManager, now: Date): Promise<void> {
  await em.nativeDelete(OauthRecord, { expiresAt: { $lte: now } });
  await em.nativeDelete(ConnectedApp, { expiresAt: { $lte: now } });
  await em.kysely
    .deleteFrom('ConnectedApp')
    .where('createdAt', '<=', new Date(now.getTime() - tokenlessAppDays * 86_400_000))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('OauthRecord as r')
            .select('r.idHash')
            .where('r.kind', 'in', ['AccessToken', 'RefreshToken'])
            .whereRef('r.app', '=', 'ConnectedApp.id'),
        ),
      ),
    )
    .execute();
  const until = new Date(now.getTime() + unusedClientSeconds * 1_000);
  // As `hashRecordId` has it.
  const idHash = sql<string>`translate(rtrim(encode(sha256(convert_to(client_id, 'UTF8')), 'base64'), '='), '+/', '-_')`;
  await em.kysely
    .updateTable('OauthRecord')
    .set({ expiresAt: until })
    .where('kind', '=', 'Client')
    .where('expiresAt', '>', until)
    .where('idHash', 'not in', em.kysely.selectFrom('ConnectedApp').select(idHash.as('idHash')))
    .execute();
}
