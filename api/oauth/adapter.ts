import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { oauthRecordPurpose } from '#core/accounts/connected-apps.ts';
import { rowContext, type Sealing } from '#core/secrets/sealing.ts';
import { revokeApp } from '#commands/accounts/connected-apps.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { ConnectedApp, OauthRecord } from '#db/entities/accounts/connected-apps.ts';
import { oauthCall } from './oauth-call.ts';
import { consumeRecord, findRecord, hashRecordId, storeRecord } from '#db/accounts/oauth-records.ts';

interface StoreOptions {
  em: EntityManager;
  sealing: Sealing;
  resource: string;
  clock(): Date;
}

// Anybody can begin a request or register a client: beyond so many, one of the network with the most is deleted. Each ends within the hour,
// unless a person allows it.
const mostWithoutApp = 10_000;
// The person is signed in to the console, and asked each time: the library's own session is not needed.
const unkept = new Set(['Session', 'ReplayDetection']);

/** Keeps the rows of the authorization server in PostgreSQL: found by the hash of their value, sealed, and removed with their app. */
export function createStore({ em, sealing, resource, clock }: StoreOptions) {
  const contextOf = (kind: string, idHash: string): string => rowContext(kind, idHash);

  async function store(kind: string, id: string, payload: AdapterPayload, expiresInSeconds: number): Promise<void> {
    const idHash = hashRecordId(id);
    const createdAt = clock();
    const expiresAt = new Date(createdAt.getTime() + expiresInSeconds * 1_000);
    const payloadSealed = sealing.seal(oauthRecordPurpose, JSON.stringify(payload), contextOf(kind, idHash));
    const appId = kind === 'Grant' ? id : (payload.grantId ?? null);
    const network = appId === null ? oauthCall.getStore()?.network : undefined;
    await em.fork().transactional(async (em) => {
      // The app was used: it has got a new token.
      if (kind === 'AccessToken') await em.nativeUpdate(ConnectedApp, { id: appId }, { lastUsedAt: createdAt });
      return storeRecord(em, { kind, idHash, appId, network, payloadSealed, createdAt, expiresAt }, mostWithoutApp);
    });
  }

  return {
    store,
    adapterOf(kind: string): Adapter {
      return {
        async upsert(id, payload, expiresIn) {
          if (unkept.has(kind)) return;
          if (kind === 'AccessToken' && payload.aud !== resource) throw new errors.InvalidTarget();
          // Clients alone have none, and do not come this way.
          await store(kind, id, payload, expiresIn ?? 0);
        },
        async find(id) {
          if (unkept.has(kind)) return undefined;
          const idHash = hashRecordId(id);
          const row = await findRecord(em.fork(), kind, idHash);
          if (row === undefined) return undefined;
          const opened = sealing.open(oauthRecordPurpose, row.payloadSealed, contextOf(kind, idHash));
          const payload = JSON.parse(opened.toString()) as AdapterPayload;
          return row.consumedAt === null ? payload : { ...payload, consumed: Math.floor(+row.consumedAt / 1_000) };
        },
        async consume(id) {
          if (!(await consumeRecord(em.fork(), kind, hashRecordId(id)))) throw new errors.InvalidGrant('already used');
        },
        async destroy(id) {
          await em.fork().nativeDelete(OauthRecord, { kind, idHash: hashRecordId(id) });
        },
        async revokeByGrantId(id) {
          await em.fork().transactional((em) => revokeApp(em, id, clock()));
        },
        findByUid: async () => undefined,
        findByUserCode: async () => undefined,
      };
    },
  };
}
