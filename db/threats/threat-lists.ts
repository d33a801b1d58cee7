import { LockMode } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { HashPrefixList, type HashPrefixes } from '#core/threats/hash-prefix-list.ts';
import { ThreatDiffError } from '#core/threats/threat-diff-error.ts';
import type { ThreatLists } from '#core/threats/threat-lists.ts';
import type { ThreatType } from '#core/threats/types.ts';
import type { EntityManager } from '#db/connection/entity-manager.ts';
import { channels, notify } from '#db/notifications/notify.ts';
import { ThreatList, ThreatListChunk } from '#db/entities/threats.ts';

interface ThreatListUpdate {
  list: HashPrefixList;
  checksum: Buffer;
  versionToken: Buffer;
  nextDiffAt: Date;
}

/** A list as it is stored; `list` is undefined where its prefixes do not have its checksum. */
interface StoredThreatList {
  version: number;
  /** Null: the next request asks for the whole list. */
  versionToken: Buffer | null;
  checksum: Buffer;
  nextDiffAt: Date;
  list: HashPrefixList | undefined;
}

// A chunk is read and written as one value.
const chunkBytes = 262_144;
const chunksAtOnce = 8;
const retryMs = 10_000;

/** Reads a list with its prefixes; undefined: it was never stored. */
export async function readThreatList(em: EntityManager, threatType: ThreatType): Promise<StoredThreatList | undefined> {
  const row = await em.fork().findOne(ThreatList, { threatType });
  if (row === null) return undefined;
  const { version, versionToken, nextDiffAt } = row;
  const checksum = Buffer.from(row.checksum);
  const list = await readPrefixes(em, threatType, version, checksum);
  return { version, versionToken: versionToken ? Buffer.from(versionToken) : null, checksum, nextDiffAt, list };
}

/** Undefined where a newer version has taken their place, or they are not what was written. */
async function readPrefixes(
  em: EntityManager,
  threatType: ThreatType,
  version: number,
  checksum: Buffer,
): Promise<HashPrefixList | undefined> {
  const read: HashPrefixes[] = [];
  for (;;) {
    const chunks = await em.kysely
      .selectFrom('ThreatListChunk')
      .select(['prefixSize', 'prefixes'])
      .where('threatType', '=', threatType)
      .where('version', '=', version)
      .where('position', '>=', read.length)
      .orderBy('position')
      .limit(chunksAtOnce)
      .execute();
    read.push(...chunks.map(({ prefixSize, prefixes }) => ({ size: prefixSize, bytes: Buffer.from(prefixes) })));
    if (chunks.length < chunksAtOnce) break;
  }
  try {
    const list = HashPrefixList.of(read);
    return list.checksum().equals(checksum) ? list : undefined;
  } catch (error) {
    if (error instanceof ThreatDiffError) return undefined;
    throw error;
  }
}

/**
 * Stores a list and notifies all processes.
 * @param basedOn the list that the change was applied to; undefined: there was none.
 * @returns false, and stores nothing, where another worker has stored a change meanwhile.
 */
export async function storeThreatList(
  em: EntityManager,
  threatType: ThreatType,
  { list, checksum, versionToken, nextDiffAt }: ThreatListUpdate,
  basedOn: StoredThreatList | undefined,
): Promise<boolean> {
  return em.transactional(async (em) => {
    const now = new Date();
    const current = await em.findOne(ThreatList, { threatType }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (current?.version !== basedOn?.version) return false;
    const isSame = basedOn?.list !== undefined && checksum.equals(basedOn.checksum);
    const version = (basedOn?.version ?? 0) + (isSame ? 0 : 1);
    const row = { version, versionToken, checksum, entries: list.entries, checkedAt: now, nextDiffAt };
    await em.kysely
      .insertInto('ThreatList')
      .values({ threatType, ...row, changedAt: now })
      .onConflict((conflict) => conflict.column('threatType').doUpdateSet(isSame ? row : { ...row, changedAt: now }))
      .execute();
    if (!isSame) await replaceChunks(em, threatType, version, list);
    await notify(em, channels.threatLists);
    return true;
  });
}

async function replaceChunks(
  em: EntityManager,
  threatType: ThreatType,
  version: number,
  list: HashPrefixList,
): Promise<void> {
  await em.nativeDelete(ThreatListChunk, { threatType });
  let position = 0;
  for (const { size, bytes } of list.groups) {
    const step = chunkBytes - (chunkBytes % size);
    for (let at = 0; at < bytes.length; at += step) {
      const prefixes = bytes.subarray(at, at + step);
      // One a statement: it takes the bytes as a parameter.
      await em.kysely
        .insertInto('ThreatListChunk')
        .values({ threatType, version, position, prefixSize: size, prefixes })
        .execute();
      position += 1;
    }
  }
}

/** Makes the next request ask for a whole list: the changes do not fit what is stored. Its prefixes stay in use. */
export async function forgetVersionToken(em: EntityManager, threatType: ThreatType): Promise<void> {
  await em.fork().nativeUpdate(ThreatList, { threatType }, { versionToken: null, nextDiffAt: new Date() });
}

/** Keeps a process's threat lists as the database has them. */
export function createThreatListLoader(em: EntityManager, lists: ThreatLists, log: Pick<Logger, 'info' | 'warn'>) {
  let running: Promise<void> | undefined;
  let isRequested = false;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function load(): Promise<void> {
    for (const row of await em.fork().find(ThreatList, {})) {
      const { threatType, version, nextDiffAt } = row;
      const held = lists.get(threatType);
      const nextDiffAtMs = nextDiffAt.getTime();
      if (held?.version === version) {
        lists.set(threatType, { ...held, nextDiffAtMs });
        continue;
      }
      const list = await readPrefixes(em, threatType, version, Buffer.from(row.checksum));
      // Replaced meanwhile, which a notification tells, or damaged, which the next update finds.
      if (list === undefined) throw new Error(`the list ${threatType} does not have its checksum`);
      lists.set(threatType, { list, version, nextDiffAtMs });
      log.info({ threatType, version, entries: list.entries }, 'a threat list was loaded');
    }
  }

  async function run(): Promise<void> {
    do {
      isRequested = false;
      try {
        await load();
      } catch (error) {
        log.warn({ err: error }, 'threat lists cannot be loaded now');
        clearTimeout(timer);
        if (!isClosed) timer = setTimeout(() => void refresh(), retryMs).unref();
      }
    } while (isRequested);
    running = undefined;
  }

  /** Reads what has changed; once more where it is called meanwhile. Never fails: tries again after ten seconds. */
  function refresh(): Promise<void> {
    isRequested = true;
    return (running ??= run());
  }

  return {
    refresh,
    close(): void {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
