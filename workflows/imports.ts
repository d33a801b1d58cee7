import { defineQuery, defineSignal, setCurrentDetails, setHandler, sleep } from '@temporalio/workflow';
import type { ImportActivities } from '#activities/imports/imports.ts';
import type { ImportState } from '#core/imports/states.ts';
import { processName } from '#core/temporal/search-attributes.ts';
import type { WorkflowStart } from '#core/temporal/workflow-start.ts';
import { workflowIdOf } from '#core/temporal/workflow-ids.ts';
import { activitiesOf, createListing, describeStart, detailsOf, goOn, showInLists, turnPolicy } from './shared.ts';

/** A file of links, or an import whose links are to be removed; `organization` is a name. */
interface ImportTarget {
  id: string;
  organizationId: string;
  organization: string;
  format: string;
  total: number;
  imported: number;
  state: ImportState;
}

/** The workflow that makes the rows of a file into links, or that removes these links again. */
export function startOfImport(target: ImportTarget): WorkflowStart {
  const { id: importId, organizationId, format, total, imported } = target;
  const name = processName([target.organization]);
  const shared = { organizationIds: [organizationId], priority: 'background', name } as const;
  if (target.state === 'undoing')
    return describeStart({
      ...shared,
      type: 'undoImport',
      id: workflowIdOf('import-undo', importId),
      input: { importId, imported } satisfies UndoImportInput,
      signal: look.name,
      summary: `Undo the import of ${linksOf(imported)} for ${name}`,
      state: 'undoing',
    });
  return describeStart({
    ...shared,
    type: 'importLinks',
    id: workflowIdOf('import', importId),
    input: { importId, total } satisfies ImportInput,
    summary: `Import ${linksOf(total)} (${format}) for ${name}`,
    state: 'pending',
  });
}

const linksOf = (count: number): string => (count === 1 ? '1 link' : `${count} links`);

interface ImportInput {
  importId: string;
  /** How many rows it has. */
  total: number;
}

interface UndoImportInput {
  importId: string;
  /** How many links it made. */
  imported: number;
}

/** The progress of an import. `gone`: its organization was deleted meanwhile. */
interface ImportStatus {
  state: ImportState | 'gone';
  total: number;
  imported: number;
  skipped: number;
  failed: number;
}

/** The progress of an undo. `gone`: the organization was deleted meanwhile. */
interface UndoImportStatus {
  state: ImportState | 'gone';
  /** Links that the import made; of them removed, kept because they were clicked or edited, and still to be looked at. */
  imported: number;
  removed: number;
  kept: number;
  left: number;
}

export const importStatusQuery = defineQuery<ImportStatus>('status');
export const undoImportStatusQuery = defineQuery<UndoImportStatus>('status');

/** Look at the row: a further undo was asked for. */
const look = defineSignal('look');

/** A turn handles batches of rows for some 20 seconds. */
const policy = turnPolicy('10m');

// A turn is about six events of the history, and takes some 20 seconds.
const maxHistoryLength = 500;
const waitMs = 1_000;

/**
 * Makes the rows of a file into links, in turns. The rows say what is left, so that it may continue as new at any moment. After 10 s
 * without a heartbeat Temporal gives the turn to another worker, which continues behind the last batch: `commands/imports/imports.ts` stores
 * each batch of links with the results of its rows in one transaction.
 */
export async function importLinks(input: ImportInput, before?: ImportStatus): Promise<ImportStatus> {
  const { importId, total } = input;
  let status: ImportStatus = before ?? { state: 'pending', total, imported: 0, skipped: 0, failed: 0 };
  const list = createListing(status.state);
  setHandler(importStatusQuery, () => status, { description: 'How many rows are done, and what became of them.' });
  const turns = activitiesOf<ImportActivities>(policy, 'Make rows into links');
  while (status.state === 'pending' || status.state === 'running') {
    const progress = await turns.importLinks({ importId });
    status = progress === null ? { ...status, state: 'gone' } : toStatus(progress);
    const isWaiting = progress?.isWaiting === true;
    setCurrentDetails(describeImport(status, isWaiting));
    list({ state: status.state, lastError: failedRows(status) });
    if (isWaiting) await sleep(waitMs, { summary: 'Until no import of the organization is being undone' });
    if (isWaiting || status.state === 'running') await goOn<typeof importLinks>(maxHistoryLength, input, status);
  }
  return status;
}

/**
 * Deletes the links that an import made, in turns. The rows say what is left, so that it may continue as new at any moment. After
 * 10 s without a heartbeat Temporal gives the turn to another worker, which continues behind the last batch:
 * `commands/imports/undo.ts` counts each batch in the transaction that deletes its links. A signal asks to look at the row again: it may
 * come after the last turn, before this run has ended.
 */
export async function undoImport(input: UndoImportInput, before?: UndoImportStatus): Promise<UndoImportStatus> {
  const { importId, imported } = input;
  let status: UndoImportStatus = before ?? { state: 'undoing', imported, removed: 0, kept: 0, left: imported };
  setHandler(undoImportStatusQuery, () => status, { description: 'How many links are removed, kept and left.' });
  let isAsked = true;
  setHandler(look, () => void (isAsked = true), { description: 'Look at the import again: it may be undone further.' });
  const turns = activitiesOf<ImportActivities>(policy, 'Delete links of the import');
  while (isAsked || status.state === 'undoing') {
    isAsked = false;
    const progress = await turns.undoImport({ importId });
    status = progress === null ? { ...status, state: 'gone' } : toUndoStatus(progress);
    const isWaiting = progress?.isWaiting === true;
    setCurrentDetails(describeUndo(status, isWaiting));
    if (isWaiting) await sleep(waitMs, { summary: 'Until no import of the organization runs' });
    if (status.state === 'undoing') await goOn<typeof undoImport>(maxHistoryLength, input, status);
  }
  showInLists({ state: status.state });
  return status;
}

const failedRows = ({ failed }: ImportStatus): string | null =>
  failed === 0 ? null : `${failed === 1 ? '1 row' : `${failed} rows`} failed`;

function toStatus({ state, total, imported, skipped, failed }: ImportStatus): ImportStatus {
  return { state, total, imported, skipped, failed };
}

function toUndoStatus({ state, imported, removed, kept, left }: UndoImportStatus): UndoImportStatus {
  return { state, imported, removed, kept, left };
}

const inTurns = 'In turns of about 20 seconds; these figures are those of the turns that are over.';
const gone = 'Ended early: the organization was deleted.';
const stateTexts: Record<ImportStatus['state'], string> = {
  pending: 'It is about to begin.',
  running: inTurns,
  completed: 'Done.',
  failed: 'Ended early: the organization is suspended, or an operator stopped it. What was imported stays.',
  cancelled: 'Cancelled by a member of the organization. What was imported stays.',
  undoing: 'Ended. Another workflow removes what was imported.',
  undone: 'Ended. Another workflow has removed what was imported.',
  gone,
};

/** Says in a few lines, in Markdown, how far an import has come. */
function describeImport({ state, total, imported, skipped, failed }: ImportStatus, isWaiting: boolean): string {
  return detailsOf([
    `**Import**: ${isWaiting ? 'It waits until no import of the organization is being undone.' : stateTexts[state]}`,
    '',
    `- rows: ${total}`,
    `- imported: ${imported}`,
    `- skipped, as their links were there already: ${skipped}`,
    `- failed: ${failed}`,
  ]);
}

/** Says in a few lines, in Markdown, how far an undo has come. */
function describeUndo({ state, imported, removed, kept, left }: UndoImportStatus, isWaiting: boolean): string {
  const going = isWaiting ? 'It waits until no import of the organization runs.' : inTurns;
  return detailsOf([
    `**Undo of an import**: ${state === 'undoing' ? going : state === 'gone' ? gone : 'Done.'}`,
    '',
    `- links that it made: ${imported}`,
    `- removed: ${removed}`,
    `- kept, as they were clicked or edited: ${kept}`,
    `- still to be looked at: ${left}`,
  ]);
}
