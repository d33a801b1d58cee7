import { listDeletionTargets, requeueOverdueDeletions } from '#db/deletions/deletions.ts';
import type { StartDelete } from './delete-starter.ts';
import type { RelayPart, RelayPartOptions } from './part.ts';
import { createTrackedRelay } from './tracked.ts';

/** What `createDeleteRelay` is built from; the times are for tests. */
export interface DeleteRelayOptions extends RelayPartOptions {
  startDelete: StartDelete;
}

/** Starts the part of the relay that begins deletions. */
export function createDeleteRelay({ startDelete, ...options }: DeleteRelayOptions): RelayPart {
  return createTrackedRelay({
    ...options,
    kind: 'purge',
    noun: 'deletions',
    listTargets: listDeletionTargets,
    start: startDelete,
    requeueOverdue: requeueOverdueDeletions,
  });
}
