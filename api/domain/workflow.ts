import { type Client, WithStartWorkflowOperation, type Workflow } from '@temporalio/client';
import { isPausedWorkflow } from '#adapters/temporal/client.ts';
import { AppError } from '#core/errors/errors.ts';
import type { FinishedCheck } from '#core/domains/dns.ts';
import { domainMessages, type DomainTarget, startOfDomain } from '#workflows/domain.ts';

export type DomainWorkflow = ReturnType<typeof createDomainWorkflow>;

const pausedText = 'An operator has paused the checks of this domain; try again later.';

interface DomainWorkflowOptions {
  client: Client;
  taskQueue: string;
  isReachable: () => boolean;
  onError: (error: Error) => void;
}

/** Client for domain workflows. */
export function createDomainWorkflow({ client, taskQueue, isReachable, onError }: DomainWorkflowOptions) {
  return {
    /**
     * Runs a check in the domain's workflow; starts the workflow when it is not running.
     * @returns undefined where Temporal is unreachable or the workflow does not answer within `timeoutMs`.
     * @throws AppError SERVICE_UNAVAILABLE where an operator has paused the workflow.
     */
    async check(target: DomainTarget, timeoutMs: number): Promise<FinishedCheck | undefined> {
      if (!isReachable()) return undefined;
      const { type, options } = startOfDomain(target);
      const startWorkflowOperation = new WithStartWorkflowOperation(type, {
        ...options,
        taskQueue,
        workflowIdConflictPolicy: 'USE_EXISTING',
      });
      try {
        return await client.withDeadline(Date.now() + timeoutMs, () =>
          client.workflow.executeUpdateWithStart<Workflow, FinishedCheck, []>(domainMessages.check, {
            startWorkflowOperation,
          }),
        );
      } catch (error) {
        if (isPausedWorkflow(error)) throw new AppError('SERVICE_UNAVAILABLE', pausedText);
        onError(error as Error);
        return undefined;
      }
    },
  };
}
