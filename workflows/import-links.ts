import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { ImportActivities } from '#activities/imports/imports.ts';
import type { ImportState } from '#core/imports/states.ts';
import { stateKey } from '#core/temporal/search-attributes.ts';
import { detailsOf, importPolicy, isHistoryLong } from './policies.ts';

/** Which import, by its row. */
export interface ImportInput {
  importId: string;
  /** How many rows it has. */
  total: number;
}

/** The progress of an import. `gone`: its organization was deleted meanwhile. */
export interface ImportStatus {
  state: ImportState | 'gone';
  total: number;
  imported: number;
  skipped: number;
  failed: number;
}

/** Reads the progress of an import. */
export const importStatusQuery = defineQuery<ImportStatus>('status');

// A turn is about six events of the history, and takes some 20 seconds.
const maxHistoryLength = 500;

/**
 * Makes the rows of a file into links, in turns. The rows say what is left, so that it may continue as new at any moment. After 10 s
 * without a heartbeat Temporal gives the turn to another worker, which continues behind the last batch: `commands/imports/imports.ts` stores
 * each batch of links with the results of its rows in one transaction.
 */
export async function importLinks(input: ImportInput, before?: ImportStatus): Promise<ImportStatus> {
  const { importId, total } = input;
  let status: ImportStatus = before ?? { state: 'pending', total, imported: 0, skipped: 0, failed: 0 };
  let shownState = status.state;
  setHandler(importStatusQuery, () => status, { description: 'How many rows are done, and what became of them.' });
  const activities = proxyActivities<ImportActivities>({ ...importPolicy, summary: 'Make rows into links' });
  while (status.state === 'pending' || status.state === 'running') {
    const progress = await activities.importLinks({ importId });
    status = progress === null ? { ...status, state: 'gone' } : toStatus(progress);
    setCurrentDetails(describe(status));
    if (shownState !== status.state) upsertSearchAttributes([{ key: stateKey, value: status.state }]);
    shownState = status.state;
    if (status.state === 'running' && isHistoryLong(maxHistoryLength)) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof importLinks>(input, status);
    }
  }
  return status;
}

function toStatus({ state, total, imported, skipped, failed }: ImportStatus): ImportStatus {
  return { state, total, imported, skipped, failed };
}

const stateTexts: Record<ImportStatus['state'], string> = {
  pending: 'It is about to begin.',
  running: 'In turns of about 20 seconds; these figures are those of the turns that are over.',
  completed: 'Done.',
  failed: 'Ended early: the organization is suspended, or an operator stopped it. What was imported stays.',
  cancelled: 'Cancelled by a member of the organization. What was imported stays.',
  undoing: 'Ended. Another workflow removes what was imported.',
  undone: 'Ended. Another workflow has removed what was imported.',
  gone: 'Ended early: the organization was deleted.',
};

/** Says in a few lines, in Markdown, how far an import has come. */
function describe({ state, total, imported, skipped, failed }: ImportStatus): string {
  return detailsOf([
    `**Import**: ${stateTexts[state]}`,
    '',
    `- rows: ${total}`,
    `- imported: ${imported}`,
    `- skipped, as their links were there already: ${skipped}`,
    `- failed: ${failed}`,
  ]);
}
