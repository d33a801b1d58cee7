import type { Client } from '@temporalio/client';
import { domainMessages, type DomainTarget, domainWorkflowType, startOfDomain } from '#core/domains/workflow.ts';

/** Wakes a domain's actor, which begins where there is none. */
export type WakeDomain = (target: DomainTarget) => Promise<void>;

/** Settings of `createWakeDomain`. */
export interface WakeDomainOptions {
  client: Client;
  taskQueue: string;
  timeoutMs?: number;
}

/** Makes the function that wakes an actor, one workflow for each domain. */
export function createWakeDomain({ client, taskQueue, timeoutMs = 5_000 }: WakeDomainOptions): WakeDomain {
  return async (target) => {
    await client.withDeadline(Date.now() + timeoutMs, () =>
      client.workflow.signalWithStart(domainWorkflowType, {
        ...startOfDomain(target),
        taskQueue,
        signal: domainMessages.wake,
      }),
    );
  };
}
