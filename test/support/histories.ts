import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

/** Where the histories are that replay tests read. */
export const historiesFolder = join(import.meta.dirname, '..', 'workflows', 'histories');

/**
 * Keeps the history of a workflow for replay tests, when RECORD_HISTORIES is set and there is none of that name; else nothing
 * happens. An existing history stays unchanged: running workflows of earlier releases must continue (docs/adr/0003).
 */
export async function recordHistory(name: string, handle: WorkflowHandle): Promise<void> {
  const path = join(historiesFolder, `${name}.json`);
  if (process.env.RECORD_HISTORIES === undefined || existsSync(path)) return;
  mkdirSync(historiesFolder, { recursive: true });
  const text = historyToJSON(await handle.fetchHistory());
  // A replay does not read the names of machines.
  writeFileSync(path, `${text.replaceAll(/\d+@[\w.-]+/g, 'worker')}\n`);
}
