import { proxyActivities, setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { FileActivities } from '#activities/files/files.ts';
import { stateKey } from '#core/lib/search-attributes.ts';
import { sweepPolicy } from './policies.ts';

/** What a sweep did: files deleted for want of use, objects removed, files brought back. */
export interface FileSweepResult {
  deleted: number;
  removed: number;
  revived: number;
}

// A history has room for many more; the next sweep goes on.
const maxBatches = 100;

/** Removes uploaded files that nothing has shown for a week (8.2). Started by a schedule. */
export async function fileSweep(): Promise<FileSweepResult> {
  const { deleteUnused } = proxyActivities<FileActivities>({ ...sweepPolicy, summary: 'Delete files in no use' });
  const { removeDeleted } = proxyActivities<FileActivities>({ ...sweepPolicy, summary: 'Remove deleted files' });
  const result = { deleted: await deleteUnused(), removed: 0, revived: 0 };
  for (let batch = 0; batch < maxBatches; batch += 1) {
    const { removed, revived, more } = await removeDeleted();
    result.removed += removed;
    result.revived += revived;
    setCurrentDetails(`${result.deleted} deleted, ${result.removed} removed, ${result.revived} brought back.`);
    if (!more) break;
  }
  upsertSearchAttributes([{ key: stateKey, value: 'completed' }]);
  return result;
}
