import { continueAsNew } from '@temporalio/workflow';
import { type DeleteInput, type DeletePlan, type DeleteStatus, runDelete } from './deletions.ts';

const plan: DeletePlan = { noun: 'links', doesTell: false, hasLinks: true, hasBelongings: false };

/** Removes the links that one call deleted, with their clicks and counts. */
export function deleteLink(input: DeleteInput, before?: DeleteStatus): Promise<DeleteStatus> {
  return runDelete(input, plan, before, (status) => continueAsNew<typeof deleteLink>(input, status));
}
