import type { EntityManager } from '#db/connection/entity-manager.ts';
import { InstallationValue } from '#db/entities/installation.ts';

/** The store that the API answers from, and edges fill. */
type CurrentStore = 'postgresql' | 'clickhouse';

const key = 'click-store';

/** Notes the store for commands of the operator, whose environment may lack CLICKHOUSE_URL. */
export async function noteCurrentStore(em: EntityManager, store: CurrentStore): Promise<void> {
  await em.fork().upsert(InstallationValue, { key, value: store, updatedAt: new Date() });
}

/** Reads the store that the API noted at its last start; undefined before the first one. */
export async function readCurrentStore(em: EntityManager): Promise<CurrentStore | undefined> {
  const noted = await em.findOne(InstallationValue, { key });
  return noted?.value as CurrentStore | undefined;
}
