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
export interface UndoImportInput {
  importId: string;
  /** How many links it made. */
  imported: number;
}

/** The progress of an undo. `gone`: the organization was deleted meanwhile. */
export interface UndoImportStatus {
  state: ImportState | 'gone';
  /** Links that the import made; of them removed, kept because they were clicked or edited, and still to be looked at. */
  imported: number;
  removed: number;
  kept: number;
  left: number;
}

/** Reads the progress of an undo. */
export const undoImportStatusQuery = defineQuery<UndoImportStatus>('status');

// A turn is about six events of the history, and takes some 20 seconds.
const maxHistoryLength = 500;

/**
 * Deletes the links that an import made, in turns. The rows say what is left, so that it may continue as new at any moment. After
 * 10 s without a heartbeat Temporal gives the turn to another worker, which continues behind the last batch:
 * `commands/imports/undo.ts` counts each batch in the transaction that deletes its links.
 */
export async function undoImport(input: UndoImportInput, before?: UndoImportStatus): Promise<UndoImportStatus> {
  const { importId, imported } = input;
  let status: UndoImportStatus = before ?? { state: 'undoing', imported, removed: 0, kept: 0, left: imported };
  setHandler(undoImportStatusQuery, () => status, { description: 'How many links are removed, kept and left.' });
  const activities = proxyActivities<ImportActivities>({ ...importPolicy, summary: 'Delete links of the import' });
  while (status.state === 'undoing') {
    const progress = await activities.undoImport({ importId });
    status = progress ?? { ...status, state: 'gone' };
    setCurrentDetails(describe(status));
    if (status.state === 'undoing' && isHistoryLong(maxHistoryLength)) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof undoImport>(input, status);
    }
  }
  upsertSearchAttributes([{ key: stateKey, value: status.state }]);
  return status;
}

/** Says in a few lines, in Markdown, how far an undo has come. */
function describe({ state, imported, removed, kept, left }: UndoImportStatus): string {
  const text =
    state === 'undoing'
      ? 'In turns of about 20 seconds; these figures are those of the turns that are over.'
      : state === 'gone'
        ? 'Ended early: the organization was deleted.'
        : 'Done.';
  return detailsOf([
    `**Undo of an import**: ${text}`,
    '',
    `- links that it made: ${imported}`,
    `- removed: ${removed}`,
    `- kept, as they were clicked or edited: ${kept}`,
    `- still to be looked at: ${left}`,
  ]);
}
