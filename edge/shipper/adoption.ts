import { join } from 'node:path';
import type { PoolClient } from 'pg';
import type { Logger } from 'pino';

import { finishJournal, readOffset } from '#db/clicks/ingest.ts';
import { lockJournal, unlockJournal } from '#db/clicks/journal-lock.ts';
import { createOwnerWatch, unseenMs, writeOwner } from '#edge/journal/owner.ts';
import { endOfFiles, isUnfinished, listJournals, removeJournal } from '#edge/journal/segments.ts';
import { gatherMs, type Ship } from './ship.ts';

/** How long processes on other machines may be silent; set by tests. */
export interface Silence {
  /** After so long without a beat a process counts as dead. */
  afterMs: number;
  /** So long a process that is alive after all may still write without looking at the owner's file. */
  unseenMs: number;
}

interface AdoptionOptions {
  root: string;
  /** The process's own journal, which is not adopted. */
  ownJournalId: string;
  ship: Ship;
  /** Ships the process's own clicks in between. */
  shipOwn(): Promise<void>;
  /** Waits; less when the process closes or its own clicks are asked for. */
  rest(ms: number): Promise<void>;
  isClosing(): boolean;
  log: Pick<Logger, 'info' | 'warn'>;
  silence?: Silence;
}

// For a write that was begun just before the other process looked.
const graceMs = 500;

/**
 * Makes the function that ships the journals of dead processes, by the connection that it is given: the connection's advisory
 * locks keep two processes from shipping one journal. It returns early while the process closes.
 */
export function createAdoption(options: AdoptionOptions): (client: PoolClient) => Promise<void> {
  const { root, ship, shipOwn, rest, isClosing, log, silence } = options;
  const ownerOf = createOwnerWatch(silence?.afterMs);
  /** Journals that this process has signed: an interrupted adoption does not make them a living process's. */
  const signed = new Set<string>();

  function takeOver(id: string, directory: string): boolean {
    try {
      writeOwner(directory);
      signed.add(id);
      return true;
    } catch (error) {
      log.warn({ err: error, directory }, 'the journal of a silent process cannot be taken over now');
      return false;
    }
  }

  /** Ships a locked journal to its end. @returns false when the process closes before that. */
  async function shipToEnd(client: PoolClient, id: string, directory: string, settleMs: number): Promise<boolean> {
    const settledAt = performance.now() + settleMs;
    const shipment = { journalId: id, directory, offset: await readOffset(client, id) };
    for (let isSettled = false; !isSettled;) {
      isSettled = performance.now() >= settledAt;
      const end = await endOfFiles(directory);
      while (await ship(client, shipment, end)) {
        await shipOwn();
        if (isClosing()) return false;
      }
      if (!isSettled) await rest(gatherMs);
      await shipOwn();
      if (isClosing()) return false;
    }
    return true;
  }

  async function adopt(client: PoolClient, id: string, directory: string): Promise<void> {
    const owner = signed.has(id) ? 'silent' : ownerOf(directory);
    if (owner === 'alive' || !(await lockJournal(client, id))) return;
    // A process that was only suspended sees by the signature that the journal is no longer its own; what it writes until it
    // looks is shipped too.
    const isSilent = owner === 'silent';
    if (isSilent && !takeOver(id, directory)) return unlockJournal(client, id);
    const settleMs = isSilent ? (silence?.unseenMs ?? unseenMs) + graceMs : 0;
    if (!(await shipToEnd(client, id, directory, settleMs))) return;
    await finishJournal(client, id);
    await removeJournal(directory);
    await unlockJournal(client, id);
    log.info({ journal: id }, 'shipped the journal of a process that has ended');
  }

  return async (client) => {
    for (const id of await listJournals(root)) {
      const directory = join(root, id);
      if (id !== options.ownJournalId && (await isUnfinished(directory))) await adopt(client, id, directory);
      if (isClosing()) return;
    }
  };
}
