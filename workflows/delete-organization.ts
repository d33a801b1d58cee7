import { continueAsNew } from '@temporalio/workflow';
import { type DeleteInput, type DeletePlan, type DeleteStatus, runDelete } from './deletions.ts';

const plan: DeletePlan = { noun: 'organization', doesTell: true, hasLinks: true, hasBelongings: true };

/** Removes a deleted organization with all that it had: links, clicks, webhooks, keys, files and all else. */
export function deleteOrganization(input: DeleteInput, before?: DeleteStatus): Promise<DeleteStatus> {
  return runDelete(input, plan, before, (status) => continueAsNew<typeof deleteOrganization>(input, status));
}
