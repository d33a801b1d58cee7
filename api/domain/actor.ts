import { type Client, WithStartWorkflowOperation, type Workflow } from '@temporalio/client';
import type { FinishedCheck } from '#core/domains/dns.ts';
import { domainMessages, type DomainTarget, startOfDomain } from '#workflows/starts.ts';

/** Client for domain workflows. */
export interface DomainActor {
  /**
   * Runs a check in the domain's workflow; starts the workflow when it is not running.
   * @returns undefined where Temporal is unreachable or the workflow does not answer within `timeoutMs`.
   */
  check(target: DomainTarget, timeoutMs: number): Promise<FinishedCheck | undefined>;
}

interface DomainActorOptions {
  client: Client;
  taskQueue: string;
  isReachable: () => boolean;
  onError: (error: Error) => void;
}

export function createDomainActor({ client, taskQueue, isReachable, onError }: DomainActorOptions): DomainActor {
  return {
    async check(target, timeoutMs) {
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
        onError(error as Error);
        return undefined;
      }
    },
  };
}
