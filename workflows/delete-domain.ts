import { continueAsNew } from '@temporalio/workflow';
import { type DeleteInput, type DeletePlan, type DeleteStatus, runDelete } from './deletions.ts';

const plan: DeletePlan = { noun: 'domain', doesTell: true, hasLinks: true, hasBelongings: false };

/** Tells of the links of a deleted domain, and removes them, then the domain with its QR template. */
export function deleteDomain(input: DeleteInput, before?: DeleteStatus): Promise<DeleteStatus> {
  return runDelete(input, plan, before, (status) => continueAsNew<typeof deleteDomain>(input, status));
}
