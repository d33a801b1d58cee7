import { continueAsNew } from '@temporalio/workflow';
import { type DeleteInput, type DeletePlan, type DeleteStatus, runDelete } from './deletions.ts';

const plan: DeletePlan = { noun: 'folder', doesTell: true, hasLinks: false, hasBelongings: false };

/** Moves the links of a deleted folder to the default one, and removes the folder. */
export function deleteFolder(input: DeleteInput, before?: DeleteStatus): Promise<DeleteStatus> {
  return runDelete(input, plan, before, (status) => continueAsNew<typeof deleteFolder>(input, status));
}
