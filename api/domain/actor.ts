import { type Client, WithStartWorkflowOperation, type Workflow } from '@temporalio/client';
import type { FinishedCheck } from '#core/domains/dns.ts';
import { domainMessages, type DomainTarget, domainWorkflowType, startOfDomain } from '#core/domains/workflow.ts';

/** Asks the actors of domains. */
export interface DomainActor {
  /**
   * Has a domain's actor check it now; the actor begins where there is none.
   * @returns what was found; undefined where the actor could not be asked, or has not answered within `timeoutMs`.
   */
  check(target: DomainTarget, timeoutMs: number): Promise<FinishedCheck | undefined>;
}

interface DomainActorOptions {
  client: Client;
  taskQueue: string;
  isReachable: () => boolean;
  onError: (error: Error) => void;
}

/** Makes what asks actors by update-with-start. */
export function createDomainActor({ client, taskQueue, isReachable, onError }: DomainActorOptions): DomainActor {
  return {
    async check(target, timeoutMs) {
      if (!isReachable()) return undefined;
      const startWorkflowOperation = new WithStartWorkflowOperation(domainWorkflowType, {
        ...startOfDomain(target),
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
