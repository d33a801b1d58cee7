import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

/** Where the histories are that replay tests read. */
export const historiesFolder = join(import.meta.dirname, '..', 'workflows', 'histories');

/**
 * Keeps the history of a finished workflow for replay tests, when RECORD_HISTORIES is set; else nothing happens. Recorded
 * anew only when a change of the workflow is meant to break what is running: see docs/adr/0003.
 */
export async function recordHistory(name: string, handle: WorkflowHandle): Promise<void> {
  if (process.env.RECORD_HISTORIES === undefined) return;
  mkdirSync(historiesFolder, { recursive: true });
  const text = historyToJSON(await handle.fetchHistory());
  // Names of machines say nothing to a replay.
  writeFileSync(join(historiesFolder, `${name}.json`), `${text.replaceAll(/\d+@[\w.-]+/g, 'worker')}\n`);
}
